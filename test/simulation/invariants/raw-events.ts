import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { MemoryEvents } from '#test/doubles/memory-event-store.ts'

type Stored = NonNullable<MemoryEvents['feed'][number]>

const read = new WeakMap<Stored, StoredEvent>()

/** An event as it is stored, without the service's own codec. */
export function rawEvent(record: Stored): StoredEvent {
  const known = read.get(record)
  if (known !== undefined) return known
  const { id, type, stream, revision, position, recordedAt } = record
  const place = { id, type, stream, revision, position, recordedAt }
  const event = {
    ...place,
    data: JSON.parse(String(record.data)),
    metadata: JSON.parse(record.metadata),
  } as StoredEvent
  read.set(record, event)
  return event
}

export const rawEvents = ({ feed }: MemoryEvents): StoredEvent[] =>
  feed.filter((record) => record !== undefined).map(rawEvent)

export type EventOf<T extends StoredEvent['type']> = Extract<StoredEvent, { type: T }>

export const ofType = <T extends StoredEvent['type']>(events: readonly StoredEvent[], type: T): EventOf<T>[] =>
  events.filter((event): event is EventOf<T> => event.type === type)
