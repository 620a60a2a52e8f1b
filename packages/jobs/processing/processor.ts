import type { StepTask } from '#contracts/generated/messages.ts'
import { type JobEvent, type Lane, RELEASED, type Step, type StepResult } from '#packages/domain/job/events.ts'
import { type JobCommand, job } from '#packages/domain/job/job.ts'
import { next } from '#packages/domain/job/next.ts'
import type { Job, OpenJob } from '#packages/domain/job/state.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import { Semaphore } from '#packages/foundation/concurrency/semaphore.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { AppendTooLargeError } from '#packages/ports/event-store.ts'
import type { Delivery, TaskConsumer, WorkQueue } from '#packages/ports/work-queue.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { AttemptTelemetry, COMPLETED } from './attempt-telemetry.ts'
import { type AttemptsUnderWay, type AttemptUnderWay, CancelledError } from './attempts-under-way.ts'
import { Claim, ClaimLostError, type ClaimPorts, type KnownEvent } from './claim.ts'
import { keepLease } from './keep-lease.ts'
import type { StepContext, StepWork } from './step.ts'
import { isForLater, problemOf } from './step-problem.ts'
import { TaskLog } from './task-log.ts'
import { WakeUps } from './wake-ups.ts'

/** The processors of one process, by step. A job may continue with its next step in a processor that has room. */
export type Processors = Map<Step, Processor>

export type ProcessorPorts = ClaimPorts & {
  queue: WorkQueue
  log: Logger
  telemetry: Telemetry
  /** Shared with the part that cancels jobs in this process. */
  attempts: AttemptsUnderWay
  /** Shared by all processors of this process. Each adds itself. */
  processors: Processors
}

export type ProcessorOptions = {
  step: Step
  /** Steps worked on at once. */
  slots: number
  /** The name of this worker in StepStarted, for operators. */
  worker: string
  /** Another worker may take a claim over after this time without an extension. */
  leaseSeconds: number
  extendEverySeconds: number
}

/** At every fifth claim the standard lane is served first. */
const STANDARD_FIRST_EVERY = 5

class ReleasedError extends Error {
  readonly code = RELEASED
}

class DeadlineError extends Error {
  readonly code = 'deadline'
}

/** One error for all attempts: making one for each costs more than the rest of ending the attempt. */
const ENDED = new Error('the attempt has ended')

/** An attempt that has begun, claimed or not, and the resources that it frees at its end. */
type Begun = Disposable & { claim: Claim; underWay: AttemptUnderWay; log: TaskLog; attempt: AttemptTelemetry }

/** An attempt that has claimed its step, with its open job. */
type Held = Begun & { state: OpenJob; events: readonly KnownEvent[] }

/** Room that is reserved for the next step of a job until it is claimed. */
type ReservedSlot = Disposable & {
  claim: Claim
  /** The step is claimed. @param events of the job, up to and including the claim */
  begin(events: readonly KnownEvent[]): void
}

/**
 * The loop of every worker: takes a task when a slot is free, claims it, works, extends the lease, appends the
 * result. The work itself is a function that knows nothing of tasks, claims and leases.
 *
 * A job stays in this process if another of its processors serves the next step and has room. Then the result and the
 * claim of the next step are one append, and no task is published. See {@link reserveSlot} for when there is room.
 */
export class Processor {
  readonly #ports: ProcessorPorts
  readonly #options: ProcessorOptions
  readonly #work: StepWork
  readonly #consumer: TaskConsumer
  readonly #slots: Semaphore
  readonly #wakeUps: WakeUps
  readonly #underWay = new Set<AttemptUnderWay>()
  /** Aborted when it stops. */
  #stop: AbortSignal = AbortSignal.abort()
  /** True while a slot is free for the next task, and no task waits here. */
  #awaitsTask = false
  #taken = 0
  readonly #failed = Promise.withResolvers<never>()

  constructor(ports: ProcessorPorts, options: ProcessorOptions, work: StepWork) {
    this.#ports = ports
    this.#options = options
    this.#work = work
    this.#consumer = ports.queue.consume(options.step, options.slots)
    this.#slots = new Semaphore(options.slots)
    this.#wakeUps = new WakeUps(ports.clock)
    ports.processors.set(options.step, this)
  }

  /** Serves until the signal is aborted. Then releases its claims, and ends. */
  async run(signal: AbortSignal): Promise<void> {
    this.#stop = signal
    const release = () => {
      for (const underWay of this.#underWay) underWay.end(new ReleasedError('the service stops'))
    }
    signal.addEventListener('abort', release, { once: true })
    using _wakeUps = this.#wakeUps
    try {
      await Promise.race([this.#takeTasks(signal), this.#failed.promise])
      await Promise.race([this.#allSlotsFree(), this.#failed.promise])
    } finally {
      await this.#consumer[Symbol.asyncDispose]()
    }
  }

  /**
   * Reserves a slot for the next step of a job after its previous step has just ended in this process. Undefined if
   * there is no room. There is room if a slot is free, no task waits here for one, and the organization would have at
   * most half of the slots here. So a job stays only in slots that no task waits for, and leaves half of them to
   * other organizations.
   * @param task of the step, which is not published
   */
  reserveSlot(task: StepTask): ReservedSlot | undefined {
    if (this.#stop.aborted || !this.#awaitsTask) return undefined
    const slot = this.#slots.tryAcquire([{ name: task.orgId, most: Math.floor(this.#options.slots / 2) }])
    if (slot === undefined) return undefined
    const begun = this.#begin(task, 'step before', slot)
    return {
      claim: begun.claim,
      begin: (events) => this.#own(this.#goOn(begun, events)),
      [Symbol.dispose]: () => begun[Symbol.dispose](),
    }
  }

  async #takeTasks(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // Waits for a free slot, so that a waiting task can still go to another process.
      ;(await this.#slots.acquire())[Symbol.dispose]()
      const delivery = await this.#next(signal)
      if (delivery === undefined) continue
      // A step that stayed may have taken the slot meanwhile.
      const slot = await this.#slots.acquire(undefined, [{ name: delivery.task.orgId, most: this.#options.slots }])
      if (signal.aborted) slot[Symbol.dispose]()
      else this.#own(this.#serve(delivery, slot))
    }
  }

  async #allSlotsFree(): Promise<void> {
    for (let taken = 0; taken < this.#options.slots; taken++) await this.#slots.acquire()
  }

  async #next(signal: AbortSignal): Promise<Delivery | undefined> {
    this.#awaitsTask = true
    try {
      return await this.#consumer.take(this.#firstLane(), signal)
    } catch (error) {
      if (!signal.aborted) throw error
      return undefined
    } finally {
      this.#awaitsTask = false
    }
  }

  #firstLane(): Lane {
    this.#taken += 1
    return this.#taken % STANDARD_FIRST_EVERY === 0 ? 'standard' : 'priority'
  }

  /** Owns a promise: a failure outside of the attempts ends the processor. */
  #own(work: Promise<void>): void {
    work.catch((error: unknown) => this.#failed.reject(error))
  }

  /** @param slot freed when the result is disposed of */
  #begin(task: StepTask, origin: 'task' | 'step before', slot: Disposable): Begun {
    const { attempts, log } = this.#ports
    const { worker, leaseSeconds } = this.#options
    const attempt = new AttemptTelemetry(this.#ports, task, origin)
    const underWay = attempts.begin(task.jobId)
    this.#underWay.add(underWay)
    if (this.#stop.aborted) underWay.end(new ReleasedError('the service stops'))
    return {
      claim: new Claim(task, { worker, leaseSeconds }, this.#ports),
      underWay,
      log: new TaskLog(log, task),
      attempt,
      [Symbol.dispose]: () => {
        this.#underWay.delete(underWay)
        underWay[Symbol.dispose]()
        slot[Symbol.dispose]()
      },
    }
  }

  async #serve(delivery: Delivery, slot: Disposable): Promise<void> {
    using begun = this.#begin(delivery.task, 'task', slot)
    const { claim, attempt } = begun
    const problem = await this.#take(begun, delivery)
    if (problem !== undefined) attempt.notClaimed(claim.traceparent, problem)
    else await this.#handle(begun, () => claim.readJob())
  }

  /** Works on a step that was claimed with the result of the previous step. */
  async #goOn(begun: Begun, events: readonly KnownEvent[]): Promise<void> {
    using _begun = begun
    await this.#handle(begun, async () => events)
  }

  /** Handles a claimed step. */
  async #handle(begun: Begun, readJob: () => Promise<readonly KnownEvent[]>): Promise<void> {
    begun.attempt.ended(begun.claim.traceparent, await this.#outcomeOf(begun, readJob))
  }

  /** @returns `completed`, or the code that the attempt ended with */
  async #outcomeOf(begun: Begun, readJob: () => Promise<readonly KnownEvent[]>): Promise<string> {
    const { log } = begun
    try {
      const events = await readJob()
      const before = fold(job, events.slice(0, -1))
      const state = fold(job, events.slice(-1), before)
      begun.attempt.claimed(events, before)
      return state.status === 'open' ? await this.#conclude({ ...begun, state, events }) : 'claim_lost'
    } catch (error) {
      // The lease runs out, and the step is issued again.
      if (!(error instanceof ClaimLostError)) log.logger.error({ err: error }, 'the outcome could not be recorded')
      else log.logger.info('the claim was lost; its work is discarded')
      return error instanceof ClaimLostError ? error.code : 'internal_error'
    }
  }

  /**
   * Claims the task and acknowledges it.
   * @returns undefined if it is claimed; `claim_lost`: another worker has it, or it is no longer due
   */
  async #take({ claim, log }: Begun, delivery: Delivery): Promise<string | undefined> {
    try {
      await claim.take()
      await this.#acknowledge(delivery, log)
      return undefined
    } catch (error) {
      if (error instanceof ClaimLostError) await this.#acknowledge(delivery, log)
      else await this.#reject(delivery, error, log)
      return error instanceof ClaimLostError ? error.code : 'internal_error'
    }
  }

  /** A task with a failed acknowledgement is delivered again. Its claim is refused then. */
  async #acknowledge(delivery: Delivery, log: TaskLog): Promise<void> {
    await delivery
      .acknowledge()
      .catch((error: unknown) => log.logger.warn({ err: error }, 'a task could not be acknowledged'))
  }

  async #reject(delivery: Delivery, error: unknown, log: TaskLog): Promise<void> {
    log.logger.error({ err: error }, 'a task could not be claimed')
    await delivery.reject(error instanceof Error ? error.message : String(error))
  }

  /** Works while the lease is extended, then appends the outcome. */
  async #conclude(held: Held): Promise<string> {
    const { log, underWay, state } = held
    const { clock } = this.#ports
    const lease = keepLease(held, { clock, wakeUps: this.#wakeUps, everySeconds: this.#options.extendEverySeconds })
    const late = () => underWay.end(new DeadlineError('the deadline has passed'))
    const deadline = this.#wakeUps.set(state.deadlineAt, late)
    const outcome = await this.#attempt(held)
    const cause: unknown = underWay.signal.aborted ? underWay.signal.reason : undefined
    underWay.end(ENDED)
    this.#wakeUps.cancel(deadline)
    await lease.end()
    if (cause instanceof ClaimLostError || cause instanceof DeadlineError || cause instanceof CancelledError) {
      log.debug({ reason: cause.code }, 'the work was abandoned')
      return cause.code
    }
    const { readFrom } = underWay
    return this.#record(held, cause instanceof ReleasedError ? { type: 'release', readFrom } : outcome)
  }

  async #record(held: Held, command: JobCommand): Promise<string> {
    const { claim, state, underWay, log, attempt } = held
    try {
      const events = await this.#append(held, job.decide(command, state))
      log.debug({ events: events.map(({ type }) => type) }, 'the step ended')
      const outcome = outcomeOf(command)
      if (command.type !== 'release' && events.some(({ type }) => type === 'StepFailed')) attempt.retried(outcome)
      return outcome
    } catch (error) {
      if (!(error instanceof AppendTooLargeError)) throw error
      log.debug({}, 'the result is too large')
      const { used, readFrom } = underWay
      await claim.conclude(job.decide({ type: 'discard-result', used, readFrom }, state))
      return 'result_too_large'
    }
  }

  /** Appends the decided events, with the claim of the next step if the job stays in this process. */
  async #append({ claim, state, events }: Held, decided: readonly JobEvent[]): Promise<readonly KnownEvent[]> {
    const slot = this.#reserveSlotAfter(claim, state, decided)
    if (slot === undefined) return claim.conclude(decided)
    try {
      const appended = await claim.conclude(decided, slot.claim)
      slot.begin([...events, ...appended])
      return appended
    } catch (error) {
      slot[Symbol.dispose]()
      // The result alone might fit, without the claim in the same append.
      if (error instanceof AppendTooLargeError) return claim.conclude(decided)
      throw error
    }
  }

  /** Room for the step that is due directly after these events. Undefined if none is, for example before a retry. */
  #reserveSlotAfter(claim: Claim, state: OpenJob, decided: readonly JobEvent[]): ReservedSlot | undefined {
    const { processors, clock } = this.#ports
    const now = clock.now()
    if (processors.size === 1 || decided.some(({ type }) => type === 'StepFailed')) return undefined
    const after: Job = fold(
      job,
      decided.map((event) => ({ ...event, recordedAt: now })),
      state,
    )
    const due = after.status === 'open' ? next(after, now) : undefined
    if (due?.type !== 'step') return undefined
    const { step, attempt } = due
    const revision = claim.revision + decided.length
    return processors.get(step)?.reserveSlot({ ...claim.task, step, attempt, revision, traceparent: claim.traceparent })
  }

  /** Makes one attempt, and returns the command that records how it ended. Never throws. */
  async #attempt(held: Held): Promise<JobCommand> {
    const { clock, ids, telemetry } = this.#ports
    const { step } = this.#options
    const { signal } = held.underWay
    try {
      signal.throwIfAborted()
      const result = await telemetry.within(held.claim.traceparent, () => this.#work(contextOf(held, signal)))
      return { type: 'record-result', result: withSource(result, held.underWay), now: clock.now() }
    } catch (error) {
      if (!signal.aborted && isForLater(error, held.state.deadlineAt - clock.now()))
        return { type: 'release', afterSeconds: error.retryAfterSeconds, readFrom: held.underWay.readFrom }
      if (!signal.aborted) held.log.failed(error)
      // A copy: work that was not stopped in time may still add to it.
      const { used, readFrom } = held.underWay
      const problem = { ...problemOf(error, step), used: structuredClone(used), readFrom }
      return { type: 'report-problem', step, problem, now: clock.now(), chance: ids.random() }
    }
  }
}

/** The result, with the place of its attempt's latest read. */
const withSource = (result: StepResult, { readFrom }: AttemptUnderWay): StepResult =>
  readFrom === undefined ? result : ({ ...result, data: { ...result.data, readFrom } } as StepResult)

/** The outcome of the attempt that this command records. */
function outcomeOf(command: JobCommand): string {
  if (command.type === 'report-problem') return command.problem.code
  return command.type === 'release' ? RELEASED : COMPLETED
}

function contextOf({ claim, state, events, underWay, log }: Held, signal: AbortSignal): StepContext {
  const request = events.find((event) => event.type === 'JobRequested')
  const video = events.findLast((event) => event.type === 'VideoFetched')
  if (request === undefined) throw new StepError('internal_error', { message: 'the job has no request' })
  return {
    jobId: claim.task.jobId,
    job: request.data,
    video: video?.data,
    events,
    deadlineAt: state.deadlineAt,
    signal,
    used: underWay.used,
    onRead: (from) => {
      underWay.readFrom = from
    },
    get log() {
      return log.logger
    },
  }
}
