import type { EventMetadata, StepTask } from '#contracts/generated/messages.ts'
import type { JobEvent } from '#packages/domain/job/events.ts'
import { type JobCommand, job } from '#packages/domain/job/job.ts'
import type { Job } from '#packages/domain/job/state.ts'
import { handleAtRevision } from '#packages/event-sourcing/handle-at-revision.ts'
import { toAppend } from '#packages/event-sourcing/to-append.ts'
import type { Clock } from '#packages/ports/clock.ts'
import {
  type EventStore,
  type NewEvent,
  RevisionConflictError,
  type StoredEvent,
  StreamRemovedError,
} from '#packages/ports/event-store.ts'
import { type Ids, streams } from '#packages/ports/ids.ts'
import { inTraceOf, spanIdFrom } from '#packages/telemetry/traceparent.ts'

export type ClaimPorts = { store: EventStore; clock: Clock; ids: Ids }

/** The outcome of an attempt whose claim another has displaced, or was the first to make. */
export const CLAIM_LOST = 'claim_lost'

/** Another process has moved the job on: this worker's result is no longer wanted. */
export class ClaimLostError extends Error {
  readonly code = CLAIM_LOST
  constructor(cause: unknown) {
    super('another worker, or the end of the job, has displaced this claim', { cause })
  }
}

/** How long past the deadline an append is still repeated, milliseconds: the orchestrator's timeout comes within it. */
const GRACE_MS = 2000

const READ_AGAIN_AFTER_MS = 500

/** The span of the attempt that a StepStarted has begun. */
export const attemptSpanOf = (startedId: string, traceparent: string): string =>
  inTraceOf(traceparent, spanIdFrom(startedId))

/** Decided events with their ids and metadata. */
type WithIds = (events: readonly JobEvent[]) => NewEvent[]

/**
 * A worker's claim of one step of one job. Its revision is its fencing token: an append is stored right after that
 * revision or refused. One append is under way at a time.
 */
export class Claim {
  readonly task: StepTask
  /** The span of this attempt. Every event that the claim appends carries it. */
  readonly traceparent: string
  readonly #stream: string
  readonly #ports: ClaimPorts
  readonly #leaseSeconds: number
  readonly #metadata: EventMetadata
  /** The id of its StepStarted: chosen first, because the span's id follows from it. */
  readonly #id: string
  #revision: number
  #appending: Promise<unknown> = Promise.resolve()

  /** Nothing is claimed before `take`. */
  constructor(task: StepTask, leaseSeconds: number, ports: ClaimPorts) {
    this.task = task
    this.#stream = streams.job(task.jobId)
    this.#ports = ports
    this.#leaseSeconds = leaseSeconds
    this.#revision = task.revision
    this.#id = ports.ids.uuid()
    this.traceparent = attemptSpanOf(this.#id, task.traceparent)
    const { orgId, jobId } = task
    const taskId = `${jobId}/${task.revision}/${task.step}/${task.attempt}`
    this.#metadata = { orgId, correlationId: jobId, causationId: taskId, traceparent: this.traceparent }
  }

  /**
   * Claims the task at exactly its revision.
   * @throws ClaimLostError the job has moved on
   * Any other error: the store could not be reached until the job's deadline.
   */
  async take(worker: string): Promise<void> {
    const { step, attempt } = this.task
    const command = { type: 'start', step, attempt, worker, leaseSeconds: this.#leaseSeconds } as const
    // The job has not been read. All that is known is that the step is due at the task's revision.
    await this.#handle(command, job.initialState, this.#asStarted)
  }

  /**
   * The job's events up to and including this claim.
   * @throws ClaimLostError the stream could not be read before the deadline
   */
  async readJob(): Promise<StoredEvent[]> {
    const { store, clock } = this.#ports
    for (;;) {
      try {
        return await store.read(this.#stream, { to: this.#revision })
      } catch (error) {
        if (clock.now() >= this.task.deadlineAt) throw new ClaimLostError(error)
        await clock.sleep(READ_AGAIN_AFTER_MS)
      }
    }
  }

  /** Extends the claim by another lease. The revision of LeaseExtended becomes the fencing token. */
  async extend(state: Job): Promise<void> {
    await this.#handle({ type: 'extend', leaseSeconds: this.#leaseSeconds }, state, (events) =>
      events.map((event) => ({ ...event, id: this.#ports.ids.uuid(), metadata: this.#metadata })),
    )
  }

  /** Ends the claim with the events that `command` decides. @returns the events that were appended */
  async conclude(command: JobCommand, state: Job): Promise<readonly JobEvent[]> {
    const { step, attempt } = this.task
    return this.#handle(command, state, (events) =>
      toAppend(this.#stream, events, this.#metadata, ({ type }) => `${step}/${attempt}/${type}`),
    )
  }

  /** Two workers that claim the same task, or the same worker twice, write two different events. */
  readonly #asStarted: WithIds = (events) =>
    events.map((event) => ({ ...event, id: this.#id, metadata: this.#metadata }))

  #handle(command: JobCommand, state: Job, withIds: WithIds): Promise<readonly JobEvent[]> {
    const handled = this.#appending.then(() => this.#handleNow(command, state, withIds))
    this.#appending = handled.catch(() => {})
    return handled
  }

  async #handleNow(command: JobCommand, state: Job, withIds: WithIds): Promise<readonly JobEvent[]> {
    try {
      const handled = await handleAtRevision(this.#ports, job, {
        stream: this.#stream,
        command,
        state,
        revision: this.#revision,
        toAppend: withIds,
        giveUpAt: this.task.deadlineAt + GRACE_MS,
      })
      this.#revision = handled.revision
      return handled.events
    } catch (error) {
      if (error instanceof RevisionConflictError || error instanceof StreamRemovedError) throw new ClaimLostError(error)
      throw error
    }
  }
}
