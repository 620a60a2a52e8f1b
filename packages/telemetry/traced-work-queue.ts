import { LRUCache } from 'lru-cache'
import type { StepTask } from '#contracts/generated/messages.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { decorated } from '#packages/ports/decorated.ts'
import type { WorkQueue } from '#packages/ports/work-queue.ts'
import { metrics } from './metrics.ts'
import { names } from './names.ts'
import type { Telemetry } from './telemetry.ts'
import { inTraceOf, isSampled, newSpanId, spanIdFrom } from './traceparent.ts'

/**
 * How many published tasks to remember a traceparent for: more than are outstanding at any time. The oldest are
 * dropped.
 */
const REMEMBERED = 10_000

const keyOf = ({ jobId, revision, step, attempt }: StepTask): string => `${jobId}/${revision}/${step}/${attempt}`

/**
 * A work queue that records publications as spans. They are children of the job's root, and each links to the previous
 * publication of the same task. The published task carries the span of its publication, and the attempt links to it.
 */
export function tracedWorkQueue(
  queue: WorkQueue,
  { telemetry, clock }: { telemetry: Telemetry; clock: Clock },
): WorkQueue {
  /** By task, the span of its last publication. */
  const published = new LRUCache<string, string>({ max: REMEMBERED })
  return decorated(queue, { publish })

  async function publish(task: StepTask): Promise<void> {
    const key = keyOf(task)
    // If the publication is not recorded, the task carries the root of its job.
    const sent = isSampled(task.traceparent) ? { ...task, traceparent: inTraceOf(task.traceparent, newSpanId()) } : task
    const { traceparent } = sent
    const before = published.get(key)
    const startedAt = clock.now()
    // Remembers the publication even if it fails: the queue may have taken it.
    published.set(key, traceparent)
    let error: string | undefined
    try {
      await queue.publish(sent)
      const { step, lane } = task
      const attributes = { [names.step]: step, [names.lane]: lane, [names.isRepublished]: before !== undefined }
      telemetry.add(metrics.tasksPublished, 1, attributes)
    } catch (thrown) {
      error = 'not_published'
      throw thrown
    } finally {
      record(task, { traceparent, links: before === undefined ? [] : [before], startedAt, error })
    }
  }

  function record(
    task: StepTask,
    span: { traceparent: string; links: string[]; startedAt: number; error: string | undefined },
  ): void {
    if (!isSampled(span.traceparent)) return
    const { jobId, orgId, step, lane, attempt } = task
    telemetry.ended({
      ...span,
      name: `publish ${step}`,
      kind: 'producer',
      parentId: spanIdFrom(jobId),
      endedAt: clock.now(),
      attributes: {
        [names.messagingSystem]: queue.system,
        [names.messagingOperation]: 'publish',
        [names.messagingOperationType]: 'send',
        [names.messagingDestination]: `${step}.${lane}`,
        [names.jobId]: jobId,
        [names.orgId]: orgId,
        [names.step]: step,
        [names.attempt]: attempt,
        [names.isRepublished]: span.links.length > 0,
      },
    })
  }
}
