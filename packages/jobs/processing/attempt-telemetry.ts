import type { StepTask } from '#contracts/generated/messages.ts'
import { RELEASED } from '#packages/domain/job/events.ts'
import type { Job } from '#packages/domain/job/state.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { isSampled, spanIdFrom, spanIdOf } from '#packages/telemetry/traceparent.ts'
import { attemptSpanOf, CLAIM_LOST, type KnownEvent } from './claim.ts'

type Ports = { telemetry: Telemetry; clock: Clock; queue: { readonly system: string } }

/** The outcome of an attempt with a result. Any other is a code. */
export const COMPLETED = 'completed'

/** Outcomes that are not failures. */
const endedWell: readonly string[] = [COMPLETED, RELEASED, 'cancelled']

/** How a step was claimed: from a task, or together with the result of the previous step. */
type Origin = 'task' | 'step before'

/** One attempt of a step, in spans and metrics. Made when its task is received, or the previous step has ended. */
export class AttemptTelemetry {
  readonly #ports: Ports
  readonly #task: StepTask
  readonly #origin: Origin
  readonly #startedAt: number
  readonly #links: string[] = []

  /** @param task its traceparent is that of its publication, or of the attempt at the previous step */
  constructor(ports: Ports, task: StepTask, origin: Origin) {
    this.#ports = ports
    this.#task = task
    this.#origin = origin
    this.#startedAt = ports.clock.now()
    // If the publication is not recorded, the task carries the root of its job.
    if (spanIdOf(task.traceparent) !== spanIdFrom(task.jobId)) this.#links.push(task.traceparent)
  }

  /**
   * The step was claimed.
   * @param events of the job, up to and including the claim
   * @param before the job before the claim
   */
  claimed(events: readonly KnownEvent[], before: Job): void {
    const { telemetry } = this.#ports
    if (!telemetry.isExported) return
    const { step, lane, traceparent } = this.#task
    const displaced = before.status === 'open' ? before.claim : undefined
    if (displaced !== undefined) telemetry.add(metrics.leasesExpired, 1, { [names.step]: step })
    const [last, claim] = events.slice(-2)
    if (last !== undefined && claim !== undefined && before.status === 'open') {
      const dueAt = Math.max(last.recordedAt, before.progress[step]?.retryAt ?? 0, displaced?.leaseEndsAt ?? 0)
      const waitedMs = Math.max(0, claim.recordedAt - dueAt)
      telemetry.record(metrics.stepWait, waitedMs / 1000, { [names.step]: step, [names.lane]: lane })
    }
    const previous = events.slice(0, -1).findLast((event) => event.type === 'StepStarted' && event.data.step === step)
    if (previous !== undefined) this.#links.push(attemptSpanOf(previous.id, traceparent))
  }

  /** The attempt failed with this code, and its step is tried again. */
  retried(code: string): void {
    this.#ports.telemetry.add(metrics.stepsRetried, 1, { [names.step]: this.#task.step, [names.outcome]: code })
  }

  /** @param traceparent the attempt's span */
  ended(traceparent: string, outcome: string): void {
    const { telemetry, clock } = this.#ports
    if (!telemetry.isExported) return
    const endedAt = clock.now()
    telemetry.record(metrics.stepDuration, (endedAt - this.#startedAt) / 1000, {
      [names.step]: this.#task.step,
      [names.outcome]: outcome,
    })
    this.#tell(traceparent, { endedAt, outcome, isFailed: !endedWell.includes(outcome) })
  }

  /**
   * The step could not be claimed. There was no attempt, but the append of the claim names this span as its parent.
   * @param traceparent the span that the attempt would have been
   */
  notClaimed(traceparent: string, outcome: string): void {
    const { telemetry, clock } = this.#ports
    // Another worker has the step, which is not a failure.
    if (telemetry.isExported)
      this.#tell(traceparent, { endedAt: clock.now(), outcome, isFailed: outcome !== CLAIM_LOST })
  }

  #tell(
    traceparent: string,
    { endedAt, outcome, isFailed }: { endedAt: number; outcome: string; isFailed: boolean },
  ): void {
    if (!isSampled(traceparent)) return
    const { telemetry, queue } = this.#ports
    const { jobId, orgId, step, lane, attempt } = this.#task
    const isDelivered = this.#origin === 'task'
    telemetry.ended({
      name: `process ${step}`,
      kind: isDelivered ? 'consumer' : 'internal',
      traceparent,
      parentId: spanIdFrom(jobId),
      links: this.#links,
      startedAt: this.#startedAt,
      endedAt,
      error: isFailed ? outcome : undefined,
      attributes: {
        ...(isDelivered && {
          [names.messagingSystem]: queue.system,
          [names.messagingOperation]: 'process',
          [names.messagingOperationType]: 'process',
          [names.messagingDestination]: `${step}.${lane}`,
        }),
        [names.jobId]: jobId,
        [names.orgId]: orgId,
        [names.step]: step,
        [names.attempt]: attempt,
        [names.outcome]: outcome,
      },
    })
  }
}
