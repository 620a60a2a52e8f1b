import type { Step } from '#packages/domain/job/events.ts'
import type { OpenJob } from '#packages/domain/job/state.ts'
import type { Timers } from '#packages/foundation/concurrency/timers.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { WorkQueue } from '#packages/ports/work-queue.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { type Outstanding, rootSpanOf, type TrackedJob } from './tracked-job.ts'

type Ports = { queue: WorkQueue; clock: Clock; log: Logger }

/** An unclaimed task is published again after 5, 10, 20, 40, 80 s. */
const REPUBLISH = { firstMs: 5000, longestMs: 80_000 }

const TRY_AGAIN_AFTER_MS = 1000

/** Publishes tasks, again and unchanged until they are claimed, because the queue may lose some. */
export class TaskPublisher {
  readonly #ports: Ports
  readonly #timers: Timers
  readonly #own: (work: Promise<void>) => void

  /** @param own takes each publication, which may outlast the call */
  constructor(ports: Ports, timers: Timers, own: (work: Promise<void>) => void) {
    this.#ports = ports
    this.#timers = timers
    this.#own = own
  }

  /** Publishes the due step of a job. */
  publish(
    tracked: TrackedJob,
    { lane, deadlineAt }: OpenJob,
    { step, attempt }: { step: Step; attempt: number },
  ): void {
    const { jobId, orgId, revision } = tracked
    const task = { jobId, orgId, lane, step, attempt, revision, deadlineAt, traceparent: rootSpanOf(tracked) }
    const republishAt = this.#ports.clock.now() + REPUBLISH.firstMs
    tracked.outstanding = { task, republishAt, republishAfterMs: REPUBLISH.firstMs }
    this.#send(tracked.outstanding)
  }

  /** Publishes a task again when its time has come. */
  republish(outstanding: Outstanding, now: number): void {
    if (now < outstanding.republishAt) {
      this.#timers.set(outstanding.task.jobId, outstanding.republishAt)
      return
    }
    outstanding.republishAfterMs = Math.min(outstanding.republishAfterMs * 2, REPUBLISH.longestMs)
    outstanding.republishAt = now + outstanding.republishAfterMs
    this.#send(outstanding)
  }

  #send(outstanding: Outstanding): void {
    const { task } = outstanding
    this.#timers.set(task.jobId, outstanding.republishAt)
    this.#own(
      this.#ports.queue.publish(task).catch((error: unknown) => {
        this.#ports.log.warn({ err: error, jobId: task.jobId }, 'a task could not be published')
        // The queue refused the task. It is published again soon, and this attempt does not lengthen the next wait.
        outstanding.republishAt = this.#ports.clock.now() + TRY_AGAIN_AFTER_MS
        outstanding.republishAfterMs /= 2
        this.#timers.set(task.jobId, outstanding.republishAt)
      }),
    )
  }
}
