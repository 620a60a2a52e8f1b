import type { EventMetadata, StepTask } from '#contracts/generated/messages.ts'
import type { JobEvent } from '#packages/domain/job/events.ts'
import { job } from '#packages/domain/job/job.ts'
import type { Job } from '#packages/domain/job/state.ts'
import type { Recorded } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { appendUntilAnswered } from '#packages/events/store/append-until-answered.ts'
import { toAppend } from '#packages/events/store/to-append.ts'
import type { Clock } from '#packages/ports/clock.ts'
import {
  type EventStore,
  type NewEvent,
  RevisionConflictError,
  StreamRemovedError,
} from '#packages/ports/event-store.ts'
import { type Ids, streams } from '#packages/ports/ids.ts'
import { inTraceOf, spanIdFrom } from '#packages/telemetry/traceparent.ts'

export type ClaimPorts = { store: EventStore; clock: Clock; ids: Ids }

export type ClaimOptions = {
  /** The name of the worker in StepStarted, for operators. */
  worker: string
  /** Another worker may take the claim over after this time without an extension. */
  leaseSeconds: number
}

/** An event of a job as a claim knows it: read from the store, or appended by this process and not read again. */
export type KnownEvent = Recorded<DomainEvent> & { id: string; metadata: EventMetadata; revision: number }

/** The outcome of an attempt after another has displaced its claim, or claimed first. */
export const CLAIM_LOST = 'claim_lost'

/** Another process has moved the job on: this worker's result is no longer wanted. */
export class ClaimLostError extends Error {
  readonly code = CLAIM_LOST
  constructor(cause: unknown) {
    super('another worker, or the end of the job, has displaced this claim', { cause })
  }
}

/** How long past the deadline an append is still repeated, milliseconds. The orchestrator's timeout comes within it. */
const GRACE_MS = 2000

const READ_AGAIN_AFTER_MS = 500

/** The span of the attempt that this StepStarted began. */
export const attemptSpanOf = (startedId: string, traceparent: string): string =>
  inTraceOf(traceparent, spanIdFrom(startedId))

/**
 * A worker's claim of one step of one job. Its revision is its fencing token: an append is stored directly after that
 * revision or refused. One append is under way at a time.
 *
 * A claim is made at the revision of its task, or in one append with the result of the previous step. In that case
 * the task was never published, and its revision is that result's.
 */
export class Claim {
  readonly task: StepTask
  /** The span of this attempt. Every event that the claim appends carries it. */
  readonly traceparent: string
  readonly #stream: string
  readonly #ports: ClaimPorts
  readonly #options: ClaimOptions
  readonly #metadata: EventMetadata
  readonly #started: NewEvent
  #revision: number
  #appending: Promise<unknown> = Promise.resolve()
  #read: Promise<KnownEvent[]> | undefined

  /** The claim begins with `take`, or with `conclude` of the previous claim. */
  constructor(task: StepTask, options: ClaimOptions, ports: ClaimPorts) {
    this.task = task
    this.#stream = streams.job(task.jobId)
    this.#ports = ports
    this.#options = options
    this.#revision = task.revision
    // Chosen first, because the span's id derives from it. Two workers that claim the same task, or the same worker
    // twice, write two different events.
    const id = ports.ids.uuid()
    this.traceparent = attemptSpanOf(id, task.traceparent)
    const { orgId, jobId, step, attempt } = task
    const taskId = `${jobId}/${task.revision}/${step}/${attempt}`
    this.#metadata = { orgId, correlationId: jobId, causationId: taskId, traceparent: this.traceparent }
    this.#started = {
      type: 'StepStarted',
      data: { step, attempt, ...options },
      id,
      metadata: this.#metadata,
    }
  }

  /** The revision of the last event that this claim appended. */
  get revision(): number {
    return this.#revision
  }

  /**
   * Claims the task at exactly its revision. The job has not been read: the claim only knows that the step is due at
   * that revision. The job is read meanwhile.
   * @throws ClaimLostError if the job has moved on
   * Any other error: the store could not be reached until the job's deadline.
   */
  async take(): Promise<void> {
    this.#read = this.#ports.store.read(this.#stream, { to: this.task.revision })
    // The error is handled once the step is claimed.
    this.#read.catch(() => {})
    await this.#append([this.#started])
  }

  /**
   * The job's events up to and including its StepStarted, with the time of this process.
   * @throws ClaimLostError if the stream could not be read before the deadline
   */
  async readJob(): Promise<KnownEvent[]> {
    const { store, clock } = this.#ports
    const to = this.task.revision
    for (;;) {
      try {
        const events = await (this.#read ?? store.read(this.#stream, { to }))
        // A member of a cluster may be behind the member that accepted the claim.
        if (events.at(-1)?.revision === to) return [...events, ...this.#asKnown([this.#started], to + 1)]
      } catch (error) {
        if (clock.now() >= this.task.deadlineAt) throw new ClaimLostError(error)
      }
      if (clock.now() >= this.task.deadlineAt) throw new ClaimLostError('the job could not be read as a whole')
      this.#read = undefined
      await clock.sleep(READ_AGAIN_AFTER_MS)
    }
  }

  /** Extends the claim by another lease. The revision of LeaseExtended becomes the fencing token. */
  async extend(state: Job): Promise<void> {
    const decided = job.decide({ type: 'extend', leaseSeconds: this.#options.leaseSeconds }, state)
    const metadata = this.#metadata
    await this.#append(decided.map((event) => ({ ...event, id: this.#ports.ids.uuid(), metadata })))
  }

  /**
   * Ends the claim with these events. Makes the claim of the next step in the same append, if there is one.
   * @param next of a task at the revision of the last of the events
   * @returns the appended events, with the time of this process
   */
  async conclude(decided: readonly JobEvent[], next?: Claim): Promise<KnownEvent[]> {
    const { step, attempt } = this.task
    const own = toAppend(this.#stream, decided, this.#metadata, ({ type }) => `${step}/${attempt}/${type}`)
    const first = this.#revision + 1
    const all = next === undefined ? own : [...own, next.#started]
    await this.#append(all)
    if (next !== undefined) next.#revision = this.#revision
    return this.#asKnown(all, first)
  }

  #asKnown(events: readonly NewEvent[], first: number): KnownEvent[] {
    const recordedAt = this.#ports.clock.now()
    return events.map((event, index) => ({ ...event, revision: first + index, recordedAt }))
  }

  #append(events: readonly NewEvent[]): Promise<void> {
    const appended = this.#appending.then(() => this.#appendNow(events))
    this.#appending = appended.catch(() => {})
    return appended
  }

  async #appendNow(events: readonly NewEvent[]): Promise<void> {
    if (events.length === 0) return
    const giveUp = { giveUpAt: this.task.deadlineAt + GRACE_MS, outlastsFullDisk: true }
    try {
      const { revision } = await appendUntilAnswered(this.#ports, this.#stream, this.#revision, events, giveUp)
      this.#revision = revision
    } catch (error) {
      if (error instanceof RevisionConflictError || error instanceof StreamRemovedError) throw new ClaimLostError(error)
      throw error
    }
  }
}
