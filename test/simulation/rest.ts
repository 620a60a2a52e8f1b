import { streams } from '#packages/ports/ids.ts'
import { PROGRESS_NOTE } from '#services/orchestrator/progress.ts'
import type { Customers } from './customers.ts'
import { rawEvent } from './invariants/raw-events.ts'
import type { Process } from './processes.ts'
import type { World } from './world.ts'

const LOOKS_EVERY_MS = 300

/** Watches whether any work is outstanding. */
export class Rest {
  reached = false
  /** The work that is outstanding. */
  missing: string[] = []
  readonly #world: World
  readonly #processes: readonly Process[]
  readonly #customers: Customers
  readonly #open = new Set<string>()
  #read = 0

  constructor(world: World, processes: readonly Process[], customers: Customers) {
    this.#world = world
    this.#processes = processes
    this.#customers = customers
    world.scheduler.after(LOOKS_EVERY_MS, () => this.#look())
  }

  #look(): void {
    this.#readOn()
    const { documents, events, record } = this.#world
    const end = events.feed.length
    const viewed = ['jobs', 'keys', 'balances', 'dailyUse'].map(
      (name) => [name, documents.checkpoints.get(name)?.position ?? 0] as const,
    )
    const progress = JSON.parse(documents.notes.get(PROGRESS_NOTE) ?? '{"checkpoint":0}') as { checkpoint: number }
    const behind = [...viewed, ['orchestrator', progress.checkpoint] as const].filter(([, position]) => position < end)
    const absent = this.#processes.filter(({ life }) => life === undefined || life.paused).map(({ name }) => name)
    // It may have much to do that nothing here shows, such as to find out that the views are lost.
    const cutOff = this.#processes.filter(({ life }) => life !== undefined && record.isCutOffAnywhere(life.name))
    this.missing = [
      ...(this.#customers.idle ? [] : ['customers wait']),
      ...[...this.#open].map((jobId) => `${jobId} is open`),
      ...behind.map(([name, position]) => `${name} is at ${position} of ${end}`),
      ...(documents.isReadable ? [] : ['the views cannot be read']),
      ...absent.map((name) => `${name} is down`),
      ...cutOff.map(({ name }) => `${name} is cut off`),
    ]
    this.reached = this.missing.length === 0
    this.#world.scheduler.after(LOOKS_EVERY_MS, () => this.#look())
  }

  /** Debits that are not settled, and jobs that have not ended. */
  #readOn(): void {
    const { feed } = this.#world.events
    for (; this.#read < feed.length; this.#read++) {
      const record = feed[this.#read]
      if (record === undefined) continue
      const { type, data, stream } = rawEvent(record)
      if (type === 'CreditsDebited') this.#open.add(`the debit of ${data.jobId}`)
      if (type === 'CreditsSettled') {
        this.#open.delete(`the debit of ${data.jobId}`)
        // Its end may have been removed before this read.
        this.#open.delete(streams.job(data.jobId))
      }
      if (type === 'JobRequested') this.#open.add(stream)
      if (type === 'JobCompleted' || type === 'JobFailed') this.#open.delete(stream)
    }
  }
}
