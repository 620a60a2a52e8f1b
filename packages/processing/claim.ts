import type { EventMetadata, StepTask } from '#contracts/generated/messages.ts'
import type { DomainEvent } from '#packages/domain/event.ts'
import type { JobEvent } from '#packages/domain/job/state.ts'
import { appendUntilAnswered } from '#packages/ports/append-until-answered.ts'
import type { Clock } from '#packages/ports/clock.ts'
import {
  type EventStore,
  type NewEvent,
  RevisionConflictError,
  type StoredEvent,
  StreamRemovedError,
} from '#packages/ports/event-store.ts'
import { eventId, type Ids, streams } from '#packages/ports/ids.ts'

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
  readonly stream: string
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
    await claim.#append([{ type: 'StepStarted', data: { step, attempt, worker, leaseSeconds } }], [ports.ids.uuid()])
    return claim
  }

  private constructor(task: StepTask, leaseSeconds: number, ports: ClaimPorts) {
    this.task = task
    this.stream = streams.job(task.jobId)
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
        return await store.read(this.stream, { to: this.#revision })
      } catch (error) {
        if (clock.now() >= this.task.deadlineAt) throw new ClaimLostError(error)
        await clock.sleep(READ_AGAIN_AFTER_MS)
      }
    }
  }

  /** Keeps the claim for another lease. The revision of the extension becomes the fencing token. */
  async extend(): Promise<void> {
    const { step, attempt } = this.task
    const extended: DomainEvent<'LeaseExtended'> = {
      type: 'LeaseExtended',
      data: { step, attempt, leaseSeconds: this.#leaseSeconds },
    }
    await this.#append([extended], [this.#ports.ids.uuid()])
  }

  /** Ends the claim with these events. */
  async conclude(events: readonly JobEvent[]): Promise<void> {
    const { step, attempt } = this.task
    const ids = events.map(({ type, data }) => eventId(this.stream, `${step}/${attempt}/${type}`, data))
    await this.#append(events, ids)
  }

  #append(events: readonly JobEvent[], ids: readonly string[]): Promise<void> {
    const append = this.#appending.then(() => this.#appendNow(events, ids))
    this.#appending = append.catch(() => {})
    return append
  }

  async #appendNow(events: readonly JobEvent[], ids: readonly string[]): Promise<void> {
    const metadata = this.#metadata
    const newEvents = events.map((event, index): NewEvent => ({ ...event, id: ids[index] ?? '', metadata }))
    const giveUpAt = this.task.deadlineAt + GRACE_MS
    try {
      const answer = await appendUntilAnswered(this.#ports, this.stream, this.#revision, newEvents, giveUpAt)
      this.#revision = answer.revision
    } catch (error) {
      if (error instanceof RevisionConflictError || error instanceof StreamRemovedError) throw new ClaimLostError(error)
      throw error
    }
  }
}
