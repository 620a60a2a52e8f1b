import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { debit } from '#packages/domain/credits/credits.fixture.ts'
import type { CreditsCommand } from '#packages/domain/credits/credits.ts'
import { jobRequested } from '#packages/domain/job/job.fixture.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { toAppend } from '#packages/events/store/to-append.ts'
import { streams } from '#packages/ports/ids.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { exportAndSweep } from './export-and-sweep.ts'
import { storeChanges } from './store-changes.ts'
import type { StoreChanges, Swept } from './sweep.ts'

export const DAY_MS = 24 * 60 * 60 * 1000

/** A store in memory, its time and an archive, with the jobs that a test makes. */
export class Past implements AsyncDisposable {
  readonly clock = new ManualClock(Date.UTC(2026, 0, 1))
  readonly store = new MemoryEventStore({ clock: this.clock })
  readonly ledgers = new Ledgers({ store: this.store, clock: this.clock, ids })
  readonly changes = storeChanges({ store: this.store, clock: this.clock, ids, dropCached: async () => {} })
  readonly directory: string
  readonly #folder: AsyncDisposable

  static async open(): Promise<Past> {
    const folder = await temporaryDirectory()
    return new Past(folder.path, folder)
  }

  private constructor(directory: string, folder: AsyncDisposable) {
    this.directory = directory
    this.#folder = folder
  }

  #metadata(orgId: string, correlationId: string) {
    return { orgId, correlationId, causationId: correlationId, traceparent: newTraceparent(false) }
  }

  async execute(orgId: string, command: CreditsCommand): Promise<void> {
    const metadata = this.#metadata(orgId, 'jobId' in command ? command.jobId : orgId)
    await this.ledgers.execute(orgId, { command, metadata })
  }

  /** Debits a job and requests it. @returns its id */
  async begin(orgId: string): Promise<string> {
    const jobId = ids.uuid()
    await this.execute(orgId, debit(jobId, 1))
    await this.append(orgId, jobId, [{ type: 'JobRequested', data: jobRequested({ orgId, budget: 1 }) }])
    return jobId
  }

  async end(orgId: string, jobId: string): Promise<void> {
    const data = { orgId, kind: 'transcript', code: 'cancelled', message: 'It was cancelled.', used: null } as const
    await this.append(orgId, jobId, [{ type: 'JobFailed', data }])
  }

  async append(orgId: string, jobId: string, events: readonly DomainEvent[]): Promise<void> {
    const stream = streams.job(jobId)
    const { length } = await this.store.read(stream)
    const metadata = this.#metadata(orgId, jobId)
    await this.store.append(stream, length === 0 ? 'no-stream' : length - 1, toAppend(stream, events, metadata))
  }

  settle(orgId: string, jobId: string): Promise<void> {
    return this.execute(orgId, { type: 'settle', jobId, charged: 0, reason: 'cancelled' })
  }

  /** Jobs that end and are settled at once. @returns their ids */
  async jobs(orgId: string, count: number): Promise<string[]> {
    const made: string[] = []
    for (let n = 0; n < count; n++) {
      const jobId = await this.begin(orgId)
      await this.end(orgId, jobId)
      await this.settle(orgId, jobId)
      made.push(jobId)
    }
    return made
  }

  /** Sweeps what is older than a day. */
  async sweep(changes: StoreChanges = this.changes): Promise<Swept> {
    const options = { directory: this.directory, origin: null, program: 'test', cutoff: this.clock.now() - DAY_MS }
    const { exported: _, ...swept } = await exportAndSweep(this.store, changes, options)
    return swept
  }

  /** The jobs that still exist. */
  async left(jobs: readonly string[]): Promise<string[]> {
    const there = await Promise.all(jobs.map((jobId) => this.store.read(streams.job(jobId))))
    return jobs.filter((_, index) => there[index]?.length !== 0)
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#folder[Symbol.asyncDispose]()
  }
}
