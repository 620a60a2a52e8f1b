import { type Lane, RELEASED, type Step } from '#packages/domain/job/events.ts'
import { type JobCommand, job, type StepProblem } from '#packages/domain/job/job.ts'
import type { OpenJob } from '#packages/domain/job/state.ts'
import { StepError } from '#packages/errors/step-error.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import { AppendTooLargeError, type StoredEvent } from '#packages/ports/event-store.ts'
import type { Delivery, TaskConsumer, WorkQueue } from '#packages/ports/work-queue.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { AttemptTelemetry, COMPLETED } from './attempt-telemetry.ts'
import { type AttemptsUnderWay, type AttemptUnderWay, CancelledError } from './attempts-under-way.ts'
import { Claim, ClaimLostError, type ClaimPorts } from './claim.ts'
import type { StepContext, StepWork } from './step.ts'
import { TaskLog } from './task-log.ts'

export type ProcessorPorts = ClaimPorts & {
  queue: WorkQueue
  log: Logger
  telemetry: Telemetry
  /** Shared with whoever cancels jobs in this process. */
  attempts: AttemptsUnderWay
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

/** A step that this worker has claimed. */
type Claimed = { claim: Claim; underWay: AttemptUnderWay; log: TaskLog; attempt: AttemptTelemetry }

/** The same with its job, which is open. */
type Held = Claimed & { state: OpenJob; events: StoredEvent[] }

/**
 * The loop of every worker: takes a task when a slot is free, claims it, works, extends the lease, appends the result.
 * The work itself is a function that knows nothing of tasks, claims and leases.
 */
export class Processor {
  readonly #ports: ProcessorPorts
  readonly #options: ProcessorOptions
  readonly #work: StepWork
  readonly #consumer: TaskConsumer
  #taken = 0

  constructor(ports: ProcessorPorts, options: ProcessorOptions, work: StepWork) {
    this.#ports = ports
    this.#options = options
    this.#work = work
    this.#consumer = ports.queue.consume(options.step)
  }

  /** Serves until the signal is aborted; then gives its claims back, and ends. */
  async run(signal: AbortSignal): Promise<void> {
    const slots = Array.from({ length: this.#options.slots }, () => this.#slot(signal))
    try {
      await Promise.all(slots)
    } finally {
      await this.#consumer[Symbol.asyncDispose]()
    }
  }

  async #slot(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const delivery = await this.#consumer.take(this.#firstLane(), signal).catch((error: unknown) => {
        if (signal.aborted) return undefined
        throw error
      })
      if (delivery !== undefined) await this.#serve(delivery, signal)
    }
  }

  #firstLane(): Lane {
    this.#taken += 1
    return this.#taken % STANDARD_FIRST_EVERY === 0 ? 'standard' : 'priority'
  }

  async #serve(delivery: Delivery, signal: AbortSignal): Promise<void> {
    const { task } = delivery
    const log = new TaskLog(this.#ports.log, task)
    const attempt = new AttemptTelemetry(this.#ports, task)
    using underWay = this.#ports.attempts.begin(task.jobId)
    const claim = new Claim(task, this.#options.leaseSeconds, this.#ports)
    const problem = await this.#take(claim, delivery, log)
    if (problem !== undefined) attempt.notClaimed(claim.traceparent, problem)
    else attempt.ended(claim.traceparent, await this.#outcomeOf({ claim, underWay, log, attempt }, signal))
  }

  /** Handles what was claimed. @returns `completed`, or the code that the attempt ended with */
  async #outcomeOf(claimed: Claimed, signal: AbortSignal): Promise<string> {
    const { log } = claimed
    try {
      return await this.#handle(claimed, signal)
    } catch (error) {
      // The lease runs out, and the step is issued again.
      if (!(error instanceof ClaimLostError)) log.logger.error({ err: error }, 'the outcome could not be recorded')
      else log.logger.info('the claim was lost; its work is discarded')
      return error instanceof ClaimLostError ? error.code : 'internal_error'
    }
  }

  /**
   * Claims the task and acknowledges it.
   * @returns undefined where it is claimed; `claim_lost`: another worker has it, or it is no longer due
   */
  async #take(claim: Claim, delivery: Delivery, log: TaskLog): Promise<string | undefined> {
    try {
      await claim.take(this.#options.worker)
      await this.#acknowledge(delivery, log)
      return undefined
    } catch (error) {
      if (error instanceof ClaimLostError) await this.#acknowledge(delivery, log)
      else await this.#reject(delivery, error, log)
      return error instanceof ClaimLostError ? error.code : 'internal_error'
    }
  }

  /** A task whose acknowledgement fails is delivered again; its claim is refused then. */
  async #acknowledge(delivery: Delivery, log: TaskLog): Promise<void> {
    await delivery
      .acknowledge()
      .catch((error: unknown) => log.logger.warn({ err: error }, 'a task could not be acknowledged'))
  }

  async #reject(delivery: Delivery, error: unknown, log: TaskLog): Promise<void> {
    log.logger.error({ err: error }, 'a task could not be claimed')
    await delivery.reject(error instanceof Error ? error.message : String(error))
  }

  async #handle(claimed: Claimed, signal: AbortSignal): Promise<string> {
    const events = await claimed.claim.readJob()
    const before = fold(job, events.slice(0, -1))
    const state = fold(job, events.slice(-1), before)
    claimed.attempt.claimed(events, before)
    if (state.status !== 'open') return 'claim_lost'
    return this.#conclude({ ...claimed, state, events }, signal)
  }

  /** Works while the lease is extended, then appends the outcome. */
  async #conclude(held: Held, signal: AbortSignal): Promise<string> {
    const { state, log, underWay } = held
    const end = new AbortController()
    const release = () => end.abort(new ReleasedError('the service stops'))
    signal.addEventListener('abort', release, { once: true })
    if (signal.aborted) release()
    const { cancelled } = underWay
    const abandon = () => end.abort(cancelled.reason)
    cancelled.addEventListener('abort', abandon, { once: true })
    if (cancelled.aborted) abandon()
    const watches = [this.#keepLease(held, end), this.#watchDeadline(state, end)]
    const outcome = await this.#attempt(held, end.signal)
    signal.removeEventListener('abort', release)
    const cause: unknown = end.signal.aborted ? end.signal.reason : undefined
    end.abort(ENDED)
    await Promise.all(watches)
    if (cause instanceof ClaimLostError || cause instanceof DeadlineError || cause instanceof CancelledError) {
      log.info({ reason: cause.code }, 'the work was abandoned')
      return cause.code
    }
    return this.#record(held, cause instanceof ReleasedError ? { type: 'release' } : outcome)
  }

  async #record({ claim, state, underWay, log, attempt }: Held, command: JobCommand): Promise<string> {
    try {
      const events = await claim.conclude(command, state)
      log.info({ events: events.map(({ type }) => type) }, 'the step ended')
      const outcome = outcomeOf(command)
      if (command.type !== 'release' && events.some(({ type }) => type === 'StepFailed')) attempt.retried(outcome)
      return outcome
    } catch (error) {
      if (!(error instanceof AppendTooLargeError)) throw error
      log.logger.warn({ err: error }, 'the result is too large')
      await claim.conclude({ type: 'discard-result', used: underWay.used }, state)
      return 'result_too_large'
    }
  }

  /** Makes one attempt, and returns the command that records how it ended. Never throws. */
  async #attempt(held: Held, signal: AbortSignal): Promise<JobCommand> {
    const { clock, ids, telemetry } = this.#ports
    const { step } = this.#options
    try {
      signal.throwIfAborted()
      const result = await telemetry.within(held.claim.traceparent, () => this.#work(contextOf(held, signal)))
      return { type: 'record-result', result, now: clock.now() }
    } catch (error) {
      if (!signal.aborted) held.log.logger.warn({ err: error }, 'an attempt ended without a result')
      // A copy: work that was not stopped in time may still add to it.
      const problem = { ...problemOf(error, step), used: structuredClone(held.underWay.used) }
      return { type: 'report-problem', step, problem, now: clock.now(), chance: ids.random() }
    }
  }

  async #keepLease({ claim, state }: Held, end: AbortController): Promise<void> {
    const everyMs = this.#options.extendEverySeconds * 1000
    try {
      while (!end.signal.aborted) {
        await this.#ports.clock.sleep(everyMs, end.signal)
        await claim.extend(state)
      }
    } catch (error) {
      if (!end.signal.aborted) end.abort(error instanceof ClaimLostError ? error : new ClaimLostError(error))
    }
  }

  async #watchDeadline({ deadlineAt }: OpenJob, end: AbortController): Promise<void> {
    const { clock } = this.#ports
    try {
      await clock.sleep(Math.max(0, deadlineAt - clock.now()), end.signal)
      end.abort(new DeadlineError('the deadline has passed'))
    } catch {
      // The attempt ended first.
    }
  }
}

/** How an attempt ended that is recorded by this command. */
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
    get log() {
      return log.logger
    },
  }
}

/** Steps that only read from outside. A failure there counts as one of the host, also where the fault is ours. */
const readsOutside: readonly Step[] = ['fetch', 'caption']

function problemOf(error: unknown, step: Step): StepProblem {
  const known = error instanceof StepError ? error : new StepError('internal_error', { transient: true, cause: error })
  const { code, told: message, transient, retryAfterSeconds, requests } = known
  const host = known.host ?? (readsOutside.includes(step) ? 'platform' : undefined)
  return { code, message, transient, retryAfterSeconds, host, requests }
}
