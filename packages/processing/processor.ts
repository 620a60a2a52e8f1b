import type { Lane, Step } from '#packages/domain/job/events.ts'
import { type JobCommand, job, type StepProblem } from '#packages/domain/job/job.ts'
import type { OpenJob } from '#packages/domain/job/state.ts'
import { nothingUsedYet, type Used } from '#packages/domain/job/used.ts'
import { StepError } from '#packages/errors/step-error.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import { AppendTooLargeError, type StoredEvent } from '#packages/ports/event-store.ts'
import type { Delivery, TaskConsumer, WorkQueue } from '#packages/ports/work-queue.ts'
import { type Logger, plainly } from '#packages/telemetry/log.ts'
import { Claim, ClaimLostError, type ClaimPorts } from './claim.ts'
import type { StepContext, StepWork } from './step.ts'
import { TaskLog, type TaskLogs } from './task-log.ts'

export type ProcessorPorts = ClaimPorts & { queue: WorkQueue; log: Logger }

export type ProcessorOptions = {
  step: Step
  /** Steps worked on at once. */
  slots: number
  /** Who claims, for operators. */
  worker: string
  /** A claim that is not extended may be taken over after this. */
  leaseSeconds: number
  extendEverySeconds: number
}

/** Every so many claims, the standard lane is served first. */
const STANDARD_FIRST_EVERY = 5

class ReleasedError extends Error {
  readonly code = 'released'
}

class DeadlineError extends Error {
  readonly code = 'deadline'
}

/** One for all attempts: making an error for each costs more than the rest of ending it. */
const ENDED = new Error('the attempt has ended')

/** An open job whose step is in this worker's hands. */
type Held = { claim: Claim; state: OpenJob; events: StoredEvent[]; used: Used; log: TaskLog }

/**
 * What every processor shares: takes tasks when a slot is free, claims, works, keeps the lease, appends the result.
 * The work itself is a function that knows none of this.
 */
export class Processor {
  readonly #ports: ProcessorPorts
  readonly #options: ProcessorOptions
  readonly #work: StepWork
  readonly #consumer: TaskConsumer
  readonly #logs: TaskLogs
  #taken = 0

  constructor(ports: ProcessorPorts, options: ProcessorOptions, work: StepWork) {
    this.#ports = ports
    this.#options = options
    this.#work = work
    this.#consumer = ports.queue.consume(options.step)
    this.#logs = { redacted: ports.log, plain: plainly(ports.log) }
  }

  /** Serves until the signal is aborted; then gives back what is in hand, and ends. */
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
    const log = new TaskLog(this.#logs, task)
    const claim = await this.#claim(delivery, log)
    if (claim === undefined) return
    try {
      await this.#handle(claim, log, signal)
    } catch (error) {
      // The lease runs out, and the step is issued again.
      if (!(error instanceof ClaimLostError)) log.logger.error({ err: error }, 'a claimed step came to no end')
      else log.logger.info('the claim was lost; its work is discarded')
    }
  }

  /** Claims, and tells the queue. Undefined: the task is not this worker's, or no longer due. */
  async #claim(delivery: Delivery, log: TaskLog): Promise<Claim | undefined> {
    const { worker, leaseSeconds } = this.#options
    try {
      const claim = await Claim.take(delivery.task, worker, leaseSeconds, this.#ports)
      await this.#acknowledge(delivery, log)
      return claim
    } catch (error) {
      if (error instanceof ClaimLostError) await this.#acknowledge(delivery, log)
      else await this.#reject(delivery, error, log)
      return undefined
    }
  }

  /** A task that the queue does not forget comes again, and loses its claim then. */
  async #acknowledge(delivery: Delivery, log: TaskLog): Promise<void> {
    await delivery
      .acknowledge()
      .catch((error: unknown) => log.logger.warn({ err: error }, 'a task could not be acknowledged'))
  }

  async #reject(delivery: Delivery, error: unknown, log: TaskLog): Promise<void> {
    log.logger.error({ err: error }, 'a task could not be claimed')
    await delivery.reject(error instanceof Error ? error.message : String(error))
  }

  async #handle(claim: Claim, log: TaskLog, signal: AbortSignal): Promise<void> {
    const events = await claim.readJob()
    const state = fold(job, events)
    if (state.status === 'open') await this.#conclude({ claim, state, events, used: nothingUsedYet(), log }, signal)
  }

  /** Works while the lease is kept, then appends what came of it. */
  async #conclude(held: Held, signal: AbortSignal): Promise<void> {
    const { state, log } = held
    const end = new AbortController()
    const release = () => end.abort(new ReleasedError('the service stops'))
    signal.addEventListener('abort', release, { once: true })
    if (signal.aborted) release()
    const watches = [this.#keepLease(held, end), this.#watchDeadline(state, end)]
    const outcome = await this.#attempt(held, end.signal)
    signal.removeEventListener('abort', release)
    const cause: unknown = end.signal.aborted ? end.signal.reason : undefined
    end.abort(ENDED)
    await Promise.all(watches)
    if (cause instanceof ClaimLostError || cause instanceof DeadlineError) {
      log.info({ reason: cause.code }, 'the work was abandoned')
      return
    }
    await this.#record(held, cause instanceof ReleasedError ? { type: 'release' } : outcome)
  }

  async #record({ claim, state, used, log }: Held, outcome: JobCommand): Promise<void> {
    try {
      const events = await claim.conclude(outcome, state)
      log.info({ events: events.map(({ type }) => type) }, 'the step ended')
    } catch (error) {
      if (!(error instanceof AppendTooLargeError)) throw error
      log.logger.warn({ err: error }, 'the result is too large')
      await claim.conclude({ type: 'discard-result', used }, state)
    }
  }

  /** One attempt, as the command that records how it ended. Never throws. */
  async #attempt(held: Held, signal: AbortSignal): Promise<JobCommand> {
    const { clock, ids } = this.#ports
    const { step } = this.#options
    try {
      const result = await this.#work(contextOf(held, signal))
      return { type: 'record-result', result, now: clock.now() }
    } catch (error) {
      if (!signal.aborted) held.log.logger.warn({ err: error }, 'an attempt ended without a result')
      // A copy: work that was not stopped in time may still add to it.
      const problem = { ...problemOf(error, step), used: structuredClone(held.used) }
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

function contextOf({ claim, state, events, used, log }: Held, signal: AbortSignal): StepContext {
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
    used,
    get log() {
      return log.logger
    },
  }
}

/** Steps that do nothing but read from outside: what fails there has asked a host, also where the fault is ours. */
const readsOutside: readonly Step[] = ['fetch', 'caption']

function problemOf(error: unknown, step: Step): StepProblem {
  const known = error instanceof StepError ? error : new StepError('internal_error', { transient: true, cause: error })
  const { code, told: message, transient, retryAfterSeconds, requests } = known
  const host = known.host ?? (readsOutside.includes(step) ? 'platform' : undefined)
  return { code, message, transient, retryAfterSeconds, host, requests }
}
