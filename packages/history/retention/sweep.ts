import { loadStated } from '#packages/accounts/ledger/load-stated.ts'
import { credits } from '#packages/domain/credits/credits.ts'
import { isEventOf } from '#packages/event-sourcing/decider.ts'
import { lastRevision } from '#packages/events/store/last-revision.ts'
import { inParallel } from '#packages/foundation/concurrency/in-parallel.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { ArchivedJob, ArchivedStatement, CheckedArchive } from './checked-archive.ts'
import { type LedgerMark, markOf, truncationPoint } from './truncation-point.ts'

/** The changes of a sweep in the event store. Each may be repeated. */
export type StoreChanges = {
  /**
   * Removes the streams of jobs, deliveries or batches of one organization, at most {@link MOST_JOBS}: by an event,
   * then from the store.
   */
  removeJobs(orgId: string, jobs: readonly string[]): Promise<void>
  /** Truncates a ledger before a revision. */
  truncate(stream: string, before: number): Promise<void>
  /** Removes the streams that record removals by retention. */
  removeRemovals(streams: readonly string[]): Promise<void>
}

/** What a sweep reads of an archive, and its progress. */
export type SweptArchive = Pick<
  CheckedArchive,
  'progress' | 'noteProgress' | 'begins' | 'ended' | 'statements' | 'removals' | 'checkLedgers'
>

export type SweepPorts = {
  store: Pick<EventStore, 'read' | 'readBackwards'>
  archive: SweptArchive
  changes: StoreChanges
}

/** The result of a sweep. */
export type Swept = {
  jobs: number
  events: number
  ledgers: number
  removals: number
  /** Jobs that ended before the cutoff and stay, because their debit is not settled. */
  unsettled: number
  /** Streams that differ from the archive. They stay until an operator has looked. Only the first few are listed. */
  differing: string[]
}

/** The most jobs removed by one event. */
export const MOST_JOBS = 500

/** Reads of the store at once. */
const AT_ONCE = 50
const DAY_MS = 24 * 60 * 60 * 1000
/** Jobs that ended within this time are handled together. */
const SLICE_MS = DAY_MS
/** For how long a ledger that could not be truncated is retried, milliseconds. After that, its next statement is. */
const LEDGER_WINDOW_MS = 7 * DAY_MS
const EVENTS_PER_READ = 1000
const TOLD_DIFFERING = 10

/**
 * Removes from the event store what is older than the retention and is in the archive. First jobs; then the first
 * events of ledgers, if their jobs are removed; then old records of removals. It may be interrupted anywhere, and
 * repeated.
 * @param cutoff what ended before this instant is removed, milliseconds since 1970
 * @throws DamagedArchiveError: the events in the damaged file stay in the store
 */
export async function sweep(ports: SweepPorts, cutoff: number): Promise<Swept> {
  return new Sweep(ports, cutoff).run()
}

class Sweep {
  readonly #ports: SweepPorts
  readonly #cutoff: number
  readonly #swept: Swept = { jobs: 0, events: 0, ledgers: 0, removals: 0, unsettled: 0, differing: [] }
  /** By organization, the ids of jobs with an open debit. */
  readonly #open = new Map<string, Promise<ReadonlySet<string>>>()
  /** When the first remaining job ended. */
  #firstLeft = Number.POSITIVE_INFINITY

  constructor(ports: SweepPorts, cutoff: number) {
    this.#ports = ports
    this.#cutoff = cutoff
  }

  async run(): Promise<Swept> {
    const { archive } = this.#ports
    const from = archive.progress() ?? archive.begins()
    if (from === undefined) return this.#swept
    await this.#removeJobs(from)
    const old = { from: from - LEDGER_WINDOW_MS, to: this.#cutoff }
    for await (const statement of archive.statements(old)) await this.#truncate(statement)
    await this.#removeRemovals(archive.removals(old))
    return this.#swept
  }

  async #removeJobs(from: number): Promise<void> {
    const { archive } = this.#ports
    const cutoff = this.#cutoff
    for (let at = from; at < cutoff; at += SLICE_MS) {
      const to = Math.min(at + SLICE_MS, cutoff)
      const span = { from: at, to }
      for await (const jobs of batchesOf(archive.ended('job', span))) await this.#removeBatch(jobs)
      for (const category of ['delivery', 'batch', 'watch'] as const)
        for await (const some of batchesOf(archive.ended(category, span))) await this.#removeOthers(some)
      archive.noteProgress(Math.min(to, this.#firstLeft))
    }
  }

  /** @param jobs of one organization */
  async #removeBatch(jobs: readonly ArchivedJob[]): Promise<void> {
    const seen = await inParallel(jobs, AT_ONCE, undefined, async (job) => ({
      ...job,
      state: await this.#stateOf(job),
    }))
    for (const job of seen) this.#note(job)
    const going = seen.filter(({ state }) => state === 'going')
    const [first] = going
    if (first === undefined) return
    await this.#ports.changes.removeJobs(
      first.orgId,
      going.map(({ stream }) => stream),
    )
    this.#swept.jobs += going.length
    this.#swept.events += going.reduce((sum, { ids }) => sum + ids.length, 0)
  }

  /** Removes deliveries, batches and watches. A delivery that was redelivered has a later, newest end. */
  async #removeOthers(others: readonly ArchivedJob[]): Promise<void> {
    const seen = await inParallel(others, AT_ONCE, undefined, async ({ stream, ids }) => {
      const events = await this.#ports.store.read(stream)
      return { stream, events: events.at(-1)?.id.toLowerCase() === ids.at(-1) ? events.length : 0 }
    })
    const going = seen.filter(({ events }) => events > 0)
    const [first] = others
    if (first === undefined || going.length === 0) return
    await this.#ports.changes.removeJobs(
      first.orgId,
      going.map(({ stream }) => stream),
    )
    this.#swept.events += going.reduce((sum, { events }) => sum + events, 0)
  }

  #note({ stream, endedAt, state }: ArchivedJob & { state: JobState }): void {
    if (state === 'going' || state === 'gone') return
    this.#firstLeft = Math.min(this.#firstLeft, endedAt)
    if (state === 'unsettled') this.#swept.unsettled++
    else if (this.#swept.differing.length < TOLD_DIFFERING) this.#swept.differing.push(stream)
  }

  async #stateOf({ orgId, stream, ids }: ArchivedJob): Promise<JobState> {
    const events = await this.#ports.store.read(stream)
    if (events.length === 0) return 'gone'
    if (events.length !== ids.length || events.some(({ id }, at) => id.toLowerCase() !== ids[at])) return 'differing'
    return (await this.#openDebits(orgId)).has(jobIdOf(stream)) ? 'unsettled' : 'going'
  }

  /** An ended job without an open debit is settled, because its debit came first. */
  #openDebits(orgId: string): Promise<ReadonlySet<string>> {
    const known = this.#open.get(orgId)
    if (known !== undefined) return known
    const reading = loadStated(this.#ports.store.readBackwards(streams.credits(orgId))).then(
      ({ ledger }) => new Set(ledger.openDebits.keys()),
    )
    this.#open.set(orgId, reading)
    return reading
  }

  async #truncate(statement: ArchivedStatement): Promise<void> {
    const { archive, changes } = this.#ports
    const marks = await this.#marksUpTo(statement)
    const [first] = marks
    const point = first && truncationPoint(marks, await this.#firstNeeded(statement.orgId, marks))
    if (first === undefined || point === undefined) return
    await archive.checkLedgers(first.position, point.position)
    await changes.truncate(statement.stream, point.revision)
    this.#swept.ledgers++
    this.#swept.events += point.revision - first.revision
  }

  /** The events of a ledger that the store still has, up to a statement, oldest first. */
  async #marksUpTo({ stream, revision }: ArchivedStatement): Promise<LedgerMark[]> {
    const pages: LedgerMark[][] = []
    for (let to = revision; to >= 0; to -= EVENTS_PER_READ) {
      const events = await this.#ports.store.read(stream, { from: Math.max(0, to - EVENTS_PER_READ + 1), to })
      if (events.length === 0) break
      pages.push(events.filter((event) => isEventOf(credits, event)).map(markOf))
    }
    return pages.reverse().flat()
  }

  /** The revision of the first debit that is still open, or that has an existing job. */
  async #firstNeeded(orgId: string, marks: readonly LedgerMark[]): Promise<number> {
    const open = await this.#openDebits(orgId)
    const isNeeded = async (jobId: string): Promise<boolean> =>
      open.has(jobId) || (await this.#isThere(streams.job(jobId)))
    const debits = marks.filter((mark): mark is LedgerMark & { jobId: string } => mark.jobId !== undefined)
    for (let at = 0; at < debits.length; at += AT_ONCE) {
      const some = debits.slice(at, at + AT_ONCE)
      const needed = await Promise.all(some.map(({ jobId }) => isNeeded(jobId)))
      const first = some[needed.indexOf(true)]
      if (first !== undefined) return first.revision
    }
    return Number.POSITIVE_INFINITY
  }

  async #removeRemovals(removals: AsyncIterable<string>): Promise<void> {
    const old: string[] = []
    for await (const stream of removals) if (await this.#isThere(stream)) old.push(stream)
    if (old.length > 0) await this.#ports.changes.removeRemovals(old)
    this.#swept.removals += old.length
  }

  async #isThere(stream: string): Promise<boolean> {
    return (await lastRevision(this.#ports.store, stream)) !== undefined
  }
}

type JobState = 'going' | 'gone' | 'unsettled' | 'differing'

const jobIdOf = (stream: string): string => stream.slice('job-'.length)

/** Groups consecutive jobs of one organization. */
async function* batchesOf(jobs: AsyncIterable<ArchivedJob>): AsyncIterable<ArchivedJob[]> {
  let batch: ArchivedJob[] = []
  for await (const job of jobs) {
    if (batch.length === MOST_JOBS || (batch[0] !== undefined && batch[0].orgId !== job.orgId)) {
      yield batch
      batch = []
    }
    batch.push(job)
  }
  if (batch.length > 0) yield batch
}
