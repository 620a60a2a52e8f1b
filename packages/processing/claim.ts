import type { EventMetadata, StepTask } from '#contracts/generated/messages.ts'
import type { JobEvent } from '#packages/domain/job/events.ts'
import { type JobCommand, job } from '#packages/domain/job/job.ts'
import type { Job } from '#packages/domain/job/state.ts'
import { handleAtRevision } from '#packages/event-sourcing/handle-at-revision.ts'
import { toAppend } from '#packages/event-sourcing/handle-command.ts'
import type { Clock } from '#packages/ports/clock.ts'
import {
  type EventStore,
  type NewEvent,
  RevisionConflictError,
  type StoredEvent,
  StreamRemovedError,
} from '#packages/ports/event-store.ts'
import { type Ids, streams } from '#packages/ports/ids.ts'

export type ClaimPorts = { store: EventStore; clock: Clock; ids: Ids }

/** Somebody else has moved the job on: what this worker does is no longer wanted. */
export class ClaimLostError extends Error {
  readonly code = 'claim_lost'
  constructor(cause: unknown) {
    super('another worker, or the end of the job, has displaced this claim', { cause })
  }
}

/** Milliseconds past the deadline for which an append is still repeated: the orchestrator's timeout comes meanwhile. */
const GRACE_MS = 2000

const READ_AGAIN_AFTER_MS = 500

/**
 * A worker's hold on one step of one job. The revision it stands at is its fencing token: whatever it appends lands
 * right there or not at all. One append is under way at a time.
 */
export class Claim {
  readonly task: StepTask
  readonly #stream: string
  readonly #ports: ClaimPorts
  readonly #leaseSeconds: number
  readonly #metadata: EventMetadata
  #revision: number
  #appending: Promise<unknown> = Promise.resolve()

  /**
   * Claims the task at exactly its revision.
   * @throws ClaimLostError the job is elsewhere
   * Any other error: the store could not be reached until the job's deadline.
   */
  static async take(task: StepTask, worker: string, leaseSeconds: number, ports: ClaimPorts): Promise<Claim> {
    const claim = new Claim(task, leaseSeconds, ports)
    const { step, attempt } = task
    await claim.#handle({ type: 'start', step, attempt, worker, leaseSeconds }, job.initialState, claim.#asNew)
    return claim
  }

  private constructor(task: StepTask, leaseSeconds: number, ports: ClaimPorts) {
    this.task = task
    this.#stream = streams.job(task.jobId)
    this.#ports = ports
    this.#leaseSeconds = leaseSeconds
    this.#revision = task.revision
    const { orgId, jobId, traceparent } = task
    const taskId = `${jobId}/${task.revision}/${task.step}/${task.attempt}`
    this.#metadata = { orgId, correlationId: jobId, causationId: taskId, traceparent }
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

  /** Keeps the claim for another lease. The revision of the extension becomes the fencing token. */
  async extend(state: Job): Promise<void> {
    await this.#handle({ type: 'extend', leaseSeconds: this.#leaseSeconds }, state, this.#asNew)
  }

  /** Ends the claim with what `command` leads to. @returns the events that were appended */
  async conclude(command: JobCommand, state: Job): Promise<readonly JobEvent[]> {
    const { step, attempt } = this.task
    return this.#handle(command, state, (events) =>
      toAppend(this.#stream, events, this.#metadata, ({ type }) => `${step}/${attempt}/${type}`),
    )
  }

  /** Two workers that claim the same task, or the same worker twice, write two different events. */
  readonly #asNew = (events: readonly JobEvent[]): NewEvent[] =>
    events.map((event) => ({ ...event, id: this.#ports.ids.uuid(), metadata: this.#metadata }))

  #handle(
    command: JobCommand,
    state: Job,
    toAppend: (events: readonly JobEvent[]) => NewEvent[],
  ): Promise<readonly JobEvent[]> {
    const handled = this.#appending.then(() => this.#handleNow(command, state, toAppend))
    this.#appending = handled.catch(() => {})
    return handled
  }

  async #handleNow(
    command: JobCommand,
    state: Job,
    toAppend: (events: readonly JobEvent[]) => NewEvent[],
  ): Promise<readonly JobEvent[]> {
    const [stream, revision, giveUpAt] = [this.#stream, this.#revision, this.task.deadlineAt + GRACE_MS]
    try {
      const handled = await handleAtRevision(this.#ports, job, { stream, command, state, revision, toAppend, giveUpAt })
      this.#revision = handled.revision
      return handled.events
    } catch (error) {
      if (error instanceof RevisionConflictError || error instanceof StreamRemovedError) throw new ClaimLostError(error)
      throw error
    }
  }
}
