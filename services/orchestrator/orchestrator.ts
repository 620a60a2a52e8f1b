import { type Lane, lanes, type Step, steps } from '#packages/domain/job/events.ts'
import { type JobCommand, job, NOT_ACCEPTED_AFTER_MS, settlementOf } from '#packages/domain/job/job.ts'
import { next } from '#packages/domain/job/next.ts'
import type { OpenJob } from '#packages/domain/job/state.ts'
import { FeedLag } from '#packages/event-store/feed-lag.ts'
import { type Follower, follow } from '#packages/event-store/follow.ts'
import { handleAtRevision } from '#packages/event-store/handle-at-revision.ts'
import { toAppend } from '#packages/event-store/to-append.ts'
import type { LedgerOutcome } from '#packages/ledger/ledger-entry.ts'
import type { Ledgers } from '#packages/ledger/ledgers.ts'
import type { Clock } from '#packages/ports/clock.ts'
import {
  type EventStore,
  type FeedBatch,
  RevisionConflictError,
  StreamRemovedError,
} from '#packages/ports/event-store.ts'
import { type Ids, streams } from '#packages/ports/ids.ts'
import { prefixesOf, SHARDS, type Shard, shardOf } from '#packages/ports/shards.ts'
import { UnreachableError } from '#packages/ports/unreachable.ts'
import type { Views } from '#packages/ports/views.ts'
import type { WorkQueue } from '#packages/ports/work-queue.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { traceIdOf } from '#packages/telemetry/traceparent.ts'
import type { ShardProgress } from '#packages/views/shard-note.ts'
import { Alarms } from './alarms.ts'
import { Backlog, type Shares } from './backlog.ts'
import { JobTelemetry } from './job-telemetry.ts'
import { OpenJobs } from './open-jobs.ts'
import { loadNotedJobs, loadProgress, readOn } from './progress.ts'
import { ShardNotes } from './shard-notes.ts'
import { TaskPublisher } from './task-publisher.ts'
import { metadataOf, type TrackedJob } from './tracked-job.ts'

export type OrchestratorPorts = {
  store: EventStore
  queue: WorkQueue
  views: Views
  clock: Clock
  ids: Ids
  ledgers: Ledgers
  log: Logger
  telemetry: Telemetry
}

export type OrchestratorOptions = {
  /** The shards whose jobs it moves on. */
  shards: ReadonlySet<Shard>
  /** How many jobs may be published or claimed at once, by step, for each lane. */
  shares: Record<Step, Shares>
  /** The window of a job. An organization that has waited for a third of it is late. */
  windowSeconds: number
  /** True where only one process runs: claims that exist at its start have no worker any more. */
  releaseClaimsAtStart: boolean
}

/** Stands in the ids and causes of its events. */
const NAME = 'orchestrator'

/** A job that is open this long past its deadline raises an alarm. */
const STUCK_AFTER_MS = 60_000

const TRY_AGAIN_AFTER_MS = 1000
const TICK_MS = 1000

/** A recorded time further ahead of this clock means that one of the clocks is wrong. */
const SKEW_MS = 1000

/** How many streams are read at once of jobs whose events the feed of the shards does not have. */
const READ_AT_ONCE = 32

/**
 * Moves every open job of its shards on: issues its next step, issues lost steps again, ends it at its deadline, settles
 * its debit. All its state is folded from the events, so it may be stopped at any instant, and another may have the same
 * shards meanwhile.
 */
export class Orchestrator {
  /** How far it is behind the feed. */
  readonly lag: FeedLag
  readonly #ports: OrchestratorPorts
  readonly #options: OrchestratorOptions
  readonly #jobs = new OpenJobs()
  readonly #backlog: Backlog
  readonly #alarms: Alarms
  readonly #publisher: TaskPublisher
  readonly #telemetry: JobTelemetry
  readonly #notes: ShardNotes
  readonly #pending = new Set<Promise<void>>()
  /** Open jobs from before the checkpoint, as the last process noted them. */
  #noted: ShardProgress['noted'] = []
  #position = 0
  #caughtUp = false
  #announceReady: () => void = () => {}

  /** Resolves when the feed has been read to its end and work is issued. */
  readonly ready: Promise<void> = new Promise((resolve) => {
    this.#announceReady = resolve
  })

  constructor(
    ports: OrchestratorPorts,
    options: OrchestratorOptions,
    { lag = new FeedLag(ports.clock), telemetry = new JobTelemetry(ports) } = {},
  ) {
    this.#ports = ports
    this.lag = lag
    this.#options = options
    this.#backlog = new Backlog(options.shares)
    this.#alarms = new Alarms(ports.clock)
    this.#publisher = new TaskPublisher(ports, this.#alarms, (work) => this.#own(work))
    this.#notes = new ShardNotes(ports.views, { ...options, lateAfterMs: (options.windowSeconds * 1000) / 3 })
    this.#telemetry = telemetry
    telemetry.watch(this.#jobs, options.shards.size, () => this.#caughtUp)
  }

  /** Runs until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const follower: Follower = {
      prefixes: prefixesOf(this.#options.shards),
      lag: this.lag,
      begin: (own) => this.#begin(own),
      take: (batch, own) => this.#take(batch, own),
      failed(error) {
        throw error
      },
    }
    // From then on nothing is begun any more.
    signal.addEventListener('abort', () => {
      this.#caughtUp = false
    })
    await Promise.all([
      follow(this.#ports, follower, signal),
      this.#alarms.run((jobId) => this.#wake(jobId), signal),
      this.#everySecond(() => this.#report(), signal),
      this.#everySecond(() => this.#readElsewhere(), signal),
    ])
    await Promise.allSettled(this.#pending)
  }

  async #begin(signal: AbortSignal): Promise<number> {
    const progress = await this.#untilReached(() => loadProgress(this.#ports.views, this.#options.shards), signal)
    if (progress === undefined) return 0
    this.#noted = progress.noted
    this.#position = progress.checkpoint
    this.#jobs.passTo(this.#position)
    return this.#position
  }

  async #take(batch: FeedBatch, signal: AbortSignal): Promise<void> {
    const touched = this.#apply(batch)
    if (this.#caughtUp) for (const tracked of touched) this.#advance(tracked)
    else if (batch.caughtUp) await this.#goLive(signal)
    if (this.#caughtUp && !signal.aborted) this.#issue()
  }

  #apply(batch: FeedBatch): Set<TrackedJob> {
    this.#ports.ledgers.take(batch)
    this.#telemetry.read(batch)
    const touched = new Set<TrackedJob>()
    for (const event of batch.events) {
      const tracked = this.#jobs.apply(event)
      // Another owner may have settled a job whose end was not read here: its stream is not in the feed of these shards.
      if (event.type === 'CreditsSettled') this.#backlog.withdraw(event.metadata.orgId, event.data.jobId)
      if (tracked === undefined) continue
      this.#backlog.withdraw(tracked.orgId, tracked.jobId)
      touched.add(tracked)
    }
    this.#position = batch.position
    this.#jobs.passTo(batch.position)
    const newest = batch.events.at(-1)
    if (newest !== undefined && newest.recordedAt > this.#ports.clock.now() + SKEW_MS)
      this.#ports.log.error(
        { alarm: 'clock_skew', aheadMs: newest.recordedAt - this.#ports.clock.now() },
        'clocks differ',
      )
    return touched
  }

  /** The end of the feed has been reached for the first time: from now on work is issued. */
  async #goLive(signal: AbortSignal): Promise<void> {
    const load = () => loadNotedJobs(this.#ports.store, this.#noted)
    for (const tracked of (await this.#untilReached(load, signal)) ?? []) {
      if (this.#jobs.get(tracked.jobId) === undefined) this.#jobs.add(tracked)
    }
    await this.#untilReached(() => this.#readElsewhere(), signal)
    if (signal.aborted) return
    this.#caughtUp = true
    this.#ports.log.info({ openJobs: this.#jobs.size, shards: this.#options.shards.size }, 'caught up')
    for (const tracked of this.#jobs) {
      if (this.#options.releaseClaimsAtStart) this.#handle(tracked, { type: 'release' })
      this.#advance(tracked)
    }
    this.#announceReady()
  }

  /** Repeats for as long as a server behind a port does not answer. Undefined where the signal is aborted first. */
  async #untilReached<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    while (!signal.aborted) {
      try {
        return await read()
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error
        this.#ports.log.warn({ err: error }, 'progress and open jobs cannot be read; trying again')
        await this.#ports.clock.sleep(TRY_AGAIN_AFTER_MS, signal).catch(() => {})
      }
    }
    return undefined
  }

  #wake(jobId: string): void {
    const tracked = this.#jobs.get(jobId)
    if (tracked === undefined || !this.#caughtUp) return
    this.#advance(tracked)
    this.#issue()
  }

  /** Does what is due for one job, or sets an alarm for the instant at which something will be. */
  #advance(tracked: TrackedJob): void {
    if (tracked.busy) return
    if (tracked.job.status === 'none') this.#awaitRequest(tracked)
    else if (tracked.job.status === 'open') this.#advanceOpen(tracked, tracked.job)
    else this.#settle(tracked)
  }

  #advanceOpen(tracked: TrackedJob, job: OpenJob): void {
    const now = this.#ports.clock.now()
    const due = next(job, now)
    if (due.type === 'step') {
      this.#alarms.set(tracked.jobId, job.deadlineAt)
      this.#offer(tracked, due.step, job.lane, now)
      return
    }
    tracked.dueSince = undefined
    tracked.outstanding = undefined
    this.#backlog.withdraw(tracked.orgId, tracked.jobId)
    if (job.claim !== undefined) this.#backlog.hold(job.claim.step, job.lane, tracked.orgId, tracked.jobId)
    if (due.type === 'fail') this.#handle(tracked, { type: 'give-up', now })
    else this.#alarms.set(tracked.jobId, due.until)
  }

  #offer(tracked: TrackedJob, step: Step, lane: Lane, now: number): void {
    tracked.dueSince ??= now
    if (tracked.outstanding !== undefined) this.#publisher.republish(tracked.outstanding, now)
    else this.#backlog.offer(step, lane, tracked.orgId, tracked.jobId, now)
  }

  #awaitRequest(tracked: TrackedJob): void {
    const { orgId, kind, debitedAt } = tracked
    const now = this.#ports.clock.now()
    const refusedAt = debitedAt + NOT_ACCEPTED_AFTER_MS
    if (now < refusedAt) this.#alarms.set(tracked.jobId, refusedAt)
    else this.#handle(tracked, { type: 'refuse', orgId, kind, debitedAt, now })
  }

  /** Issues waiting steps until the limits are reached. */
  #issue(): void {
    const now = this.#ports.clock.now()
    for (const step of steps)
      for (const lane of lanes)
        for (
          let jobId = this.#backlog.issue(step, lane, now);
          jobId !== undefined;
          jobId = this.#backlog.issue(step, lane, now)
        )
          this.#publishFirst(jobId, now)
  }

  #publishFirst(jobId: string, now: number): void {
    const tracked = this.#jobs.get(jobId)
    if (tracked?.job.status !== 'open') return
    const due = next(tracked.job, now)
    if (due.type === 'step') this.#publisher.publish(tracked, tracked.job, due)
    else this.#advance(tracked)
  }

  /** Settles the debit of an ended job. The job is removed here when its CreditsSettled is read from the feed. */
  #settle(tracked: TrackedJob): void {
    const settlement = settlementOf(tracked.job)
    if (settlement === undefined) return
    this.#whileBusy(tracked, async () => {
      const outcome = await this.#settleAs(tracked, settlement)
      if (outcome.type === 'nothing') this.#jobs.remove(tracked.jobId)
    })
  }

  #settleAs(tracked: TrackedJob, settlement: { charged: number; reason: string }): Promise<LedgerOutcome> {
    const { orgId, jobId, debitedAt } = tracked
    const command = { type: 'settle', jobId, debitedAt, ...settlement } as const
    const entry = { command, metadata: metadataOf(tracked, NAME) }
    const settle = () => this.#ports.ledgers.execute(orgId, entry, { canWait: true }).catch(nothingOfRemoved)
    return this.#telemetry.settling(tracked, settlement, settle)
  }

  /** Appends at the job's newest known revision. After a conflict the newer events come through the feed. */
  #handle(tracked: TrackedJob, command: JobCommand): void {
    const before = tracked.job
    if (job.decide(command, before).length === 0) return
    const stream = streams.job(tracked.jobId)
    this.#whileBusy(tracked, async () => {
      try {
        const { events } = await handleAtRevision(this.#ports, job, {
          stream,
          command,
          state: before,
          revision: tracked.revision < 0 ? 'no-stream' : tracked.revision,
          toAppend: (decided) => toAppend(stream, decided, metadataOf(tracked, NAME), ({ type }) => `${NAME}/${type}`),
          // Not repeated here: the job is looked at again after a second.
          giveUpAt: 0,
        })
        this.#logOf(tracked).info({ events: events.map(({ type }) => type) }, 'decided')
        this.#telemetry.decided(command, before)
      } catch (error) {
        if (error instanceof StreamRemovedError) return this.#settleRemoved(tracked)
        if (!(error instanceof RevisionConflictError)) throw error
      }
    })
  }

  /** The job's history was removed before it ended: its debit is refunded. */
  async #settleRemoved(tracked: TrackedJob): Promise<void> {
    await this.#settleAs(tracked, { charged: 0, reason: 'internal_error' })
    this.#jobs.remove(tracked.jobId)
  }

  /** Marks the job as busy until `act` has ended, then looks at the job again. */
  #whileBusy(tracked: TrackedJob, act: () => Promise<void>): void {
    const { revision } = tracked
    tracked.busy = true
    const acting = act()
      .catch((error: unknown) => this.#logOf(tracked).warn({ err: error }, 'an append failed; trying again'))
      .finally(() => {
        tracked.busy = false
        if (tracked.revision !== revision) this.#wake(tracked.jobId)
        else this.#alarms.set(tracked.jobId, this.#ports.clock.now() + TRY_AGAIN_AFTER_MS)
      })
    this.#own(acting)
  }

  #own(work: Promise<void>): void {
    this.#pending.add(work)
    void work.finally(() => this.#pending.delete(work))
  }

  #logOf({ jobId, traceparent }: TrackedJob): Logger {
    return this.#ports.log.child({ jobId, traceId: traceIdOf(traceparent) })
  }

  async #everySecond(act: () => Promise<void>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#ports.clock.sleep(TICK_MS, signal).catch(() => {})
      if (signal.aborted || !this.#caughtUp) continue
      await act().catch((error: unknown) => this.#ports.log.warn({ err: error }, 'views or streams do not answer'))
    }
  }

  /** Notes stuck jobs, and writes for each shard how long its jobs wait and where to go on after a restart. */
  async #report(): Promise<void> {
    const now = this.#ports.clock.now()
    this.#noteStuckJobs(now)
    await this.#notes.write({ jobs: this.#jobs, backlog: this.#backlog, read: this.#position, now })
  }

  /**
   * Reads the streams of jobs that are not in these shards, though their ledgers are: the feed does not have their events.
   * Releases before shards have made them, so they are few, and soon none.
   */
  async #readElsewhere(): Promise<void> {
    const { shards } = this.#options
    if (shards.size === SHARDS) return
    const elsewhere = [...this.#jobs].filter(({ jobId }) => !shards.has(shardOf(jobId)))
    for (let from = 0; from < elsewhere.length; from += READ_AT_ONCE)
      await Promise.all(elsewhere.slice(from, from + READ_AT_ONCE).map((tracked) => this.#readOn(tracked)))
  }

  async #readOn(tracked: TrackedJob): Promise<void> {
    if (!(await readOn(this.#ports.store, tracked))) return
    this.#backlog.withdraw(tracked.orgId, tracked.jobId)
    this.#wake(tracked.jobId)
  }

  #noteStuckJobs(now: number): void {
    for (const tracked of this.#jobs) {
      const deadlineAt =
        tracked.job.status === 'open' ? tracked.job.deadlineAt : tracked.debitedAt + this.#options.windowSeconds * 1000
      if (tracked.noted || now < deadlineAt + STUCK_AFTER_MS) continue
      tracked.noted = true
      this.#logOf(tracked).error({ alarm: 'job_stuck' }, 'a job is open long past its deadline')
    }
  }
}

/** The ledger was removed with its organization, whose jobs were settled: there is nothing to settle. */
function nothingOfRemoved(error: unknown): LedgerOutcome {
  if (error instanceof StreamRemovedError) return { type: 'nothing' }
  throw error
}
