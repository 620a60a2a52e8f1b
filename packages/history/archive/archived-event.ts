import type { EventMetadata } from '#contracts/generated/messages.ts'
import { EventCodec } from '#packages/events/format/codec.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'

/** The columns of `events` with JavaScript's types, in the order of {@link ArchivedRow}. */
export const rowColumns = `position::DOUBLE, stream, revision, id::VARCHAR, type, version,
  epoch_ms(recorded_at)::DOUBLE, org_id, correlation_id, causation_id, traceparent, data`

/** One row of an archive, as DuckDB returns it. */
export type ArchivedRow = [
  position: number,
  stream: string,
  revision: number,
  id: string,
  type: string,
  version: number,
  recordedAt: number,
  orgId: string,
  correlationId: string,
  causationId: string,
  traceparent: string,
  data: string,
]

const codec = new EventCodec()

/** The event of a row, in the newest version of its type. */
export function archivedEvent(row: ArchivedRow): StoredEvent {
  const [position, stream, revision, id, type, version, recordedAt, ...rest] = row
  const [orgId, correlationId, causationId, traceparent, data] = rest
  const metadata: EventMetadata = { orgId, correlationId, causationId, traceparent }
  const record = { position, stream, revision, id, type, version, recordedAt, data, metadata: JSON.stringify(metadata) }
  return codec.decodeWritten(record)
}
