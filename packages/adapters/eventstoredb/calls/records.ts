import type { EventType, JSONRecordedEvent, Position, ResolvedEvent } from '@eventstore/db-client'
import { type EventCodec, textOf } from '#packages/events/format/codec.ts'
import { otherFormat, storeFormat } from '#packages/events/format/store-format.ts'
import { type StoredEvent, UnknownEventError } from '#packages/ports/event-store.ts'
import { PositionError } from './failures.ts'

/** The type of the event that tombstones a stream. */
export const tombstoneType = '$streamDeleted'

/** Approximate bytes of an event without its data. */
const overheadBytes = 400

export type RecordedEvent = NonNullable<ResolvedEvent<EventType>['event']>

/**
 * The port's position is the commit position: a byte offset in the server's log. A JavaScript number represents it
 * exactly up to nine petabytes.
 * @throws PositionError beyond that, or for an event written by a transaction of an old client
 */
export function positionOf({ commit, prepare }: Position): number {
  const position = exactPosition(commit)
  if (commit !== prepare) throw new PositionError(`position ${commit} was prepared at ${prepare}: a transaction's`)
  return position
}

/** @throws PositionError no number is exact there; some servers send 2^64 - 1 for "no position" */
export function exactPosition(given: bigint | number): number {
  const position = Number(given)
  if (!Number.isSafeInteger(position))
    throw new PositionError(`the event store gave position ${given}, which exceeds what is exact here`)
  return position
}

export function serverPosition(position: number): Position | 'start' {
  return position === 0 ? 'start' : { commit: BigInt(position), prepare: BigInt(position) }
}

/** @throws the errors of EventCodec.decode */
export function storedEvent(codec: EventCodec, event: RecordedEvent): StoredEvent {
  const { format, version, ...metadata } = (event.metadata ?? {}) as { format?: number; version?: unknown }
  // Another program's event in a stream with our prefix.
  if (typeof version !== 'number') throw new UnknownEventError(event.type, 0)
  if (format !== storeFormat)
    throw new UnknownEventError(
      event.type,
      version,
      `it has ${otherFormat(format, 'set EVENT_STORE_URL to another store, and MONGODB_URL to another database')}`,
    )
  const place = {
    id: event.id,
    type: event.type,
    version,
    stream: event.streamId,
    revision: Number(event.revision),
    position: recordedPosition(event),
    recordedAt: event.created.getTime(),
  }
  const data: unknown = event.isJson ? (event as JSONRecordedEvent).data : JSON.parse(textOf(event.data as Uint8Array))
  return codec.decodeParsed(place, data, metadata)
}

/** Approximate bytes of an event. Encoding it would give the exact size at several times the cost. */
export const sizeOf = ({ data }: StoredEvent): number => overheadBytes + sizeOfValue(data)

function sizeOfValue(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  let bytes = 0
  for (const name in value) bytes += name.length + sizeOfValue(value[name as keyof typeof value])
  return bytes
}

/** The commit position of any event. @throws PositionError */
export const commitOf = (event: RecordedEvent): number => exactPosition(event.position?.commit ?? 0)

export function recordedPosition(event: RecordedEvent): number {
  if (event.position === undefined) throw new PositionError(`${event.streamId}@${event.revision} has no position`)
  return positionOf(event.position)
}
