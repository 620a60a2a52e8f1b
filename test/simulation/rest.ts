import { ORCHESTRATOR_NOTE, type OrchestratorNote } from '#packages/events/views/orchestrator-note.ts'
import { projections } from '#packages/events/views/projections.ts'
import { streams } from '#packages/ports/ids.ts'
import { rawEvent } from './invariants/raw-events.ts'
import type { Process } from './processes.ts'
import { DAY_MS } from './settings.ts'
import type { World } from './world.ts'

const LOOKS_EVERY_MS = 300

/** The views follow only these events. */
const prefixesOfViews = ['removal-', ...projections.flatMap(({ prefixes }) => prefixes)]
const isOfViews = (stream: string): boolean => prefixesOfViews.some((prefix) => stream.startsWith(prefix))

/** Watches whether any work is outstanding. */
export class Rest {
  reached = false
  readonly #world: World
  readonly #processes: readonly Process[]
  readonly #customers: readonly { idle: boolean }[]
  readonly #open = new Set<string>()
  /** Streams that are to be removed. */
  readonly #named = new Set<string>()
  /** When each job ended, by stream. */
  readonly #ended = new Map<string, number>()
  #read = 0

  constructor(world: World, processes: readonly Process[], customers: readonly { idle: boolean }[]) {
    this.#world = world
    this.#processes = processes
    this.#customers = customers
    world.scheduler.after(LOOKS_EVERY_MS, () => this.#look())
  }

  /** Usually the customers or their jobs already show that work is outstanding. The rest takes long to find out. */
  #look(): void {
    this.#readOn()
    this.reached = this.#areIdle && this.#open.size === 0 && this.missing.length === 0
    this.#world.scheduler.after(LOOKS_EVERY_MS, () => this.#look())
  }

  get #areIdle(): boolean {
    return this.#customers.every(({ idle }) => idle)
  }

  /** The work that is outstanding, by what was read at the last look. */
  get missing(): string[] {
    const { documents, events, record } = this.#world
    const note = documents.notes.get(ORCHESTRATOR_NOTE)
    const checkpoint = note === undefined ? 0 : (JSON.parse(note) as OrchestratorNote).checkpoint
    const jobsEnd = events.feed.findLast((one) => /^(credits|job)-/.test(one?.stream ?? ''))?.position ?? 0
    // The orchestrator follows only ledgers and jobs.
    const places = [
      { name: 'the views', ...this.viewsAt },
      { name: 'the orchestrator', position: checkpoint, end: jobsEnd },
    ]
    const behind = places.filter((place) => place.position < place.end)
    const absent = this.#processes.filter(({ life }) => life === undefined || life.paused).map(({ name }) => name)
    // A process may have much to do that nothing here shows, such as to find out that the views are lost.
    const cutOff = this.#processes.filter(({ life }) => life !== undefined && record.isCutOffAnywhere(life.name))
    return [
      ...(this.#areIdle ? [] : ['customers wait']),
      ...[...this.#open].map((jobId) => `${jobId} is open`),
      ...this.#unremoved().map((stream) => `${stream} is to be removed`),
      ...behind.map(({ name, position, end }) => `${name} is at ${position} of ${end}`),
      ...(documents.state?.isReadable ? [] : ['the views cannot be read']),
      // A process that is cut off from the views has not noticed yet.
      ...(documents.state?.store === events.id ? [] : ['the views are of another event store']),
      ...absent.map((name) => `${name} is down`),
      ...cutOff.map(({ name }) => `${name} is cut off`),
    ]
  }

  /** The position of the views, and where they should be. */
  get viewsAt(): { position: number; end: number } {
    const { documents, events } = this.#world
    const last = events.feed.findLast((one) => one !== undefined && isOfViews(one.stream))
    return { position: documents.state?.checkpoint ?? 0, end: last?.position ?? 0 }
  }

  /** Streams that were named for removal, those of closed organizations, and those older than the retention. */
  #unremoved(): string[] {
    const { events, scheduler, settings, sweeps } = this.#world
    const cutoff = settings.retains ? Math.min(scheduler.now, sweeps.until) - DAY_MS : Number.NEGATIVE_INFINITY
    const old = [...this.#ended].filter(([, endedAt]) => endedAt < cutoff).map(([stream]) => stream)
    return [...this.#named, ...old].filter((stream) => !events.removed.has(stream))
  }

  /** Unsettled debits, unreleased holds, open jobs, and removals. */
  #readOn(): void {
    const { ever } = this.#world.events
    for (; this.#read < ever.length; this.#read++) {
      const record = ever[this.#read]
      if (record === undefined) continue
      const { type, data, stream, recordedAt, metadata } = rawEvent(record)
      if (type === 'CreditsDebited') this.#open.add(`the debit of ${data.jobId}`)
      if (type === 'CreditsSettled') this.#open.delete(`the debit of ${data.jobId}`)
      if (type === 'CreditsHeld') this.#open.add(`the hold of ${data.batchId}`)
      if (type === 'CreditsReleased') this.#open.delete(`the hold of ${data.batchId}`)
      if (type === 'BatchEnded') this.#ended.set(stream, recordedAt)
      if (type === 'JobRequested') this.#open.add(stream)
      if (type === 'JobCompleted' || type === 'JobFailed') {
        this.#open.delete(stream)
        this.#ended.set(stream, recordedAt)
      }
      if (type !== 'StreamsRemoved') continue
      for (const named of data.streams) this.#named.add(named)
      // The removal that closes an organization implies that its credits will be gone.
      if (stream === streams.removal(metadata.orgId)) this.#named.add(streams.credits(metadata.orgId))
    }
  }
}
