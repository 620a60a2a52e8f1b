import type { LedgerOutcome } from '#packages/accounts/ledger/ledger-entry.ts'
import type { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { type Lane, lanes, type Step, steps } from '#packages/domain/job/events.ts'
import { type JobCommand, job, NOT_ACCEPTED_AFTER_MS, settlementOf } from '#packages/domain/job/job.ts'
import { next } from '#packages/domain/job/next.ts'
import type { OpenJob } from '#packages/domain/job/state.ts'
import type { FeedLag } from '#packages/events/store/feed-lag.ts'
import { handleAtRevision } from '#packages/events/store/handle-at-revision.ts'
import { type OwnerPorts, OwnerRole } from '#packages/events/store/owner-role.ts'
import { toAppend } from '#packages/events/store/to-append.ts'
import { untilReached } from '#packages/events/store/until-reached.ts'
import type { Progress } from '#packages/events/views/orchestrator-note.ts'
import { Timers } from '#packages/foundation/concurrency/timers.ts'
import { type FeedBatch, RevisionConflictError, StreamRemovedError } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { WorkQueue } from '#packages/ports/work-queue.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { traceIdOf } from '#packages/telemetry/traceparent.ts'
import { Backlog } from './backlog.ts'
import { JobTelemetry } from './job-telemetry.ts'
import { NoteWriter } from './note-writer.ts'
import { OpenJobs } from './open-jobs.ts'
import { loadNotedJobs, loadProgress } from './progress.ts'
import type { SlotShares } from './slot-shares.ts'
import { TaskPublisher } from './task-publisher.ts'
import { metadataOf, type TrackedJob } from './tracked-job.ts'

export type OrchestratorPorts = OwnerPorts & { queue: WorkQueue; ledgers: Ledgers }

export type OrchestratorOptions = {
  /** How many jobs may be published or claimed at once, by step, for each lane. */
  slots: Pick<SlotShares, 'shares' | 'run'>
  /** The window of a job, seconds. An organization that has waited for a third of it is late. */
  windowSeconds: number
  /** True if this is the only process: claims from before its start have no worker any more. */
  releaseClaimsAtStart: boolean
  /** True if a metric names the busiest organizations. */
  tellsBusiest?: boolean | undefined
}

/** Its name in the ids and causes of its events. */
const NAME = 'orchestrator'

/** A job that is open this long past its deadline raises an alarm. */
const STUCK_AFTER_MS = 60_000

const TRY_AGAIN_AFTER_MS = 1000
const TICK_MS = 1000

/** A recorded time further ahead of this clock means that one of the clocks is wrong. */
const SKEW_MS = 1000

/**
 * Moves every open job on while this process is the owner. It issues the next step, reissues lost steps, ends the job
 * at its deadline, and settles its debit. A standby follows the feed too, so that it can take over at once, but acts on
 * nothing.
 *
 * All state is folded from events, so the process may stop at any instant while another acts as owner.
 */
export class Orchestrator {
  /** How far it is behind the feed. */
  readonly lag: FeedLag
  readonly #role: OwnerRole
  readonly #ports: OrchestratorPorts
  readonly #options: OrchestratorOptions
  readonly #jobs = new OpenJobs()
  #backlog: Backlog
  readonly #timers: Timers
  readonly #publisher: TaskPublisher
  readonly #telemetry: JobTelemetry
  readonly #note: NoteWriter
  /** Open jobs from before the checkpoint, as the last process noted them. */
  #noted: Progress['noted'] = []
  #position = 0

  /** Resolves when the feed has been read to its end: the owner issues work, a standby can take over. */
  readonly ready: Promise<void>

  constructor(ports: OrchestratorPorts, options: OrchestratorOptions) {
    this.#ports = ports
    this.#role = new OwnerRole(ports, () => this.#takeOver())
    this.lag = this.#role.lag
    this.ready = this.#role.ready
    this.#options = options
    this.#backlog = new Backlog(options.slots.shares)
    this.#timers = new Timers(ports.clock)
    this.#publisher = new TaskPublisher(ports, this.#timers, (work) => this.#role.own(work))
    this.#note = new NoteWriter(ports.views, { lateAfterMs: (options.windowSeconds * 1000) / 3 })
    this.#telemetry = new JobTelemetry(ports, this.#jobs, { ...options, acts: () => this.#role.acts })
  }

  /** Runs until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#role.run(
        {
          prefixes: ['credits-', 'job-'],
          begin: (own) => this.#begin(own),
          take: (batch, own) => this.#take(batch, own),
        },
        signal,
      ),
      this.#timers.run((jobId) => this.#wake(jobId), signal),
      this.#reportEverySecond(signal),
      this.#options.slots.run(this.#ports, signal),
    ])
    await this.#role.settled()
  }

  async #begin(signal: AbortSignal): Promise<number> {
    const progress = await this.#untilReached(() => loadProgress(this.#ports.views), signal)
    if (progress === undefined) return 0
    this.#noted = progress.noted
    this.#note.hour.restore(progress.platforms, progress.countedTo)
    this.#position = progress.checkpoint
    this.#jobs.passTo(this.#position)
    return this.#position
  }

  async #take(batch: FeedBatch, signal: AbortSignal): Promise<void> {
    const touched = this.#apply(batch)
    if (!this.#role.isCaughtUp) {
      if (batch.caughtUp) await this.#catchUp(signal)
    } else if (this.#role.acts) {
      for (const tracked of touched) this.#advance(tracked)
      this.#issue()
    }
  }

  #apply(batch: FeedBatch): Set<TrackedJob> {
    this.#ports.ledgers.take(batch)
    this.#telemetry.read(batch)
    const touched = new Set<TrackedJob>()
    for (const event of batch.events) {
      const tracked = this.#jobs.apply(event)
      // Another owner may have settled a job with a removed history, so it has no end.
      if (event.type === 'CreditsSettled') this.#backlog.withdraw(event.metadata.orgId, event.data.jobId)
      if (tracked === undefined) continue
      this.#note.hour.count(event, tracked.request?.platform)
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

  /** The end of the feed was reached for the first time. */
  async #catchUp(signal: AbortSignal): Promise<void> {
    const load = () => loadNotedJobs(this.#ports.store, this.#noted)
    for (const tracked of (await this.#untilReached(load, signal)) ?? []) {
      if (this.#jobs.get(tracked.jobId) === undefined) this.#jobs.add(tracked)
    }
    if (signal.aborted) return
    const openJobs = this.#jobs.size
    if (this.#options.releaseClaimsAtStart) for (const tracked of this.#jobs) this.#handle(tracked, { type: 'release' })
    this.#role.caughtUp({ openJobs })
  }

  /**
   * Makes this process the owner. It forgets the tasks that it issued as an earlier owner, because another owner may
   * have acted since. A task that is published twice is harmless.
   */
  #takeOver(): void {
    this.#ports.log.info({ openJobs: this.#jobs.size }, 'moving the jobs on')
    this.#backlog = new Backlog(this.#options.slots.shares)
    for (const tracked of this.#jobs) {
      tracked.outstanding = undefined
      tracked.dueSince = undefined
      this.#advance(tracked)
    }
    this.#issue()
  }

  #untilReached<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    return untilReached(this.#ports, 'progress and open jobs', read, signal)
  }

  #wake(jobId: string): void {
    const tracked = this.#jobs.get(jobId)
    if (tracked === undefined || !this.#role.acts) return
    this.#advance(tracked)
    this.#issue()
  }

  /** Does what is due for one job, or sets a timer for the next due time. */
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
      this.#timers.set(tracked.jobId, job.deadlineAt)
      this.#offer(tracked, due.step, job.lane, now)
      return
    }
    tracked.dueSince = undefined
    tracked.outstanding = undefined
    this.#backlog.withdraw(tracked.orgId, tracked.jobId)
    if (job.claim !== undefined) this.#backlog.hold(job.claim.step, job.lane, tracked.orgId, tracked.jobId)
    if (due.type === 'fail') this.#handle(tracked, { type: 'give-up', now })
    else this.#timers.set(tracked.jobId, due.until)
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
    if (now < refusedAt) this.#timers.set(tracked.jobId, refusedAt)
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
    const { orgId, jobId } = tracked
    const command = { type: 'settle', jobId, ...settlement } as const
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
          // The append is not repeated here: the job is checked again after a second.
          giveUpAt: 0,
        })
        this.#logOf(tracked).debug({ events: events.map(({ type }) => type) }, 'decided')
        this.#telemetry.decided(command, before)
      } catch (error) {
        if (error instanceof StreamRemovedError) return this.#settleRemoved(tracked)
        if (!(error instanceof RevisionConflictError)) throw error
      }
    })
  }

  /** Refunds the debit of a job with a history that was removed before it ended. */
  async #settleRemoved(tracked: TrackedJob): Promise<void> {
    await this.#settleAs(tracked, { charged: 0, reason: 'internal_error' })
    this.#jobs.remove(tracked.jobId)
  }

  /** Marks the job as busy until `act` has ended, then checks the job again. */
  #whileBusy(tracked: TrackedJob, act: () => Promise<void>): void {
    const { revision } = tracked
    tracked.busy = true
    const acting = act()
      .catch((error: unknown) => this.#logOf(tracked).warn({ err: error }, 'an append failed; trying again'))
      .finally(() => {
        tracked.busy = false
        if (tracked.revision !== revision) this.#wake(tracked.jobId)
        else this.#timers.set(tracked.jobId, this.#ports.clock.now() + TRY_AGAIN_AFTER_MS)
      })
    this.#role.own(acting)
  }

  #logOf({ jobId, traceparent }: TrackedJob): Logger {
    return this.#ports.log.child({ jobId, traceId: traceIdOf(traceparent) })
  }

  /** Writes a note of stuck jobs, of how long jobs wait, and of the place at which to resume after a restart. */
  async #reportEverySecond(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#ports
    while (!signal.aborted) {
      await clock.sleep(TICK_MS, signal).catch(() => {})
      if (!this.#role.acts) continue
      const now = clock.now()
      this.#noteStuckJobs(now)
      await this.#note
        .write({ jobs: this.#jobs, backlog: this.#backlog, read: this.#position, now })
        .catch((error: unknown) => log.warn({ err: error }, 'the note cannot be written; trying again'))
    }
  }

  #noteStuckJobs(now: number): void {
    for (const tracked of this.#jobs) {
      const deadlineAt =
        tracked.job.status === 'open' ? tracked.job.deadlineAt : tracked.debitedAt + this.#options.windowSeconds * 1000
      if (tracked.isStuck || now < deadlineAt + STUCK_AFTER_MS) continue
      tracked.isStuck = true
      this.#logOf(tracked).error({ alarm: 'job_stuck' }, 'a job is open long past its deadline')
    }
  }
}

/** The ledger was removed with its organization after its jobs were settled, so nothing is left to settle. */
function nothingOfRemoved(error: unknown): LedgerOutcome {
  if (error instanceof StreamRemovedError) return { type: 'nothing' }
  throw error
}
