import type { StoredEvent } from '#packages/ports/event-store.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { inTraceOf, isSampled, newSpanId, spanIdFrom } from '#packages/telemetry/traceparent.ts'

/**
 * Makes a span for each job that these events show as ended. From now on callers see that end in the views.
 * @param when the views were written, milliseconds since 1970
 */
export function noteShownJobs(
  telemetry: Telemetry,
  events: readonly StoredEvent[],
  when: { startedAt: number; endedAt: number },
): void {
  if (!telemetry.isExported) return
  for (const event of events) {
    // Settlement is the last event of a job: the end becomes visible with it.
    if (event.type !== 'CreditsSettled') continue
    const { traceparent, orgId } = event.metadata
    if (!isSampled(traceparent)) continue
    const { jobId } = event.data
    telemetry.ended({
      name: 'project job',
      traceparent: inTraceOf(traceparent, newSpanId()),
      parentId: spanIdFrom(jobId),
      ...when,
      attributes: { [names.jobId]: jobId, [names.orgId]: orgId },
    })
  }
}
