import { newestVersion } from '#contracts/generated/events.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'

/** `job` of `job-…`. */
export const categoryOf = (stream: string): string => stream.slice(0, stream.indexOf('-'))

/** An event as a line of JSON, for DuckDB to read. @param data the part of the event's data to write */
export function eventLine(event: StoredEvent, data: unknown): string {
  const { metadata } = event
  return `${JSON.stringify({
    position: event.position,
    stream: event.stream,
    category: categoryOf(event.stream),
    revision: event.revision,
    id: event.id,
    type: event.type,
    version: newestVersion[event.type],
    recorded_at: event.recordedAt,
    org_id: metadata.orgId,
    correlation_id: metadata.correlationId,
    causation_id: metadata.causationId,
    traceparent: metadata.traceparent,
    data: JSON.stringify(data),
  })}\n`
}
