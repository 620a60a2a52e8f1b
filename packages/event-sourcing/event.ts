import type { EventData, EventType } from '#contracts/generated/events.ts'

/** What a decider decides: a type and its data. The caller adds ids, versions and metadata before the append. */
export type DomainEvent<T extends EventType = EventType> = { [K in T]: { type: K; data: EventData[K] } }[T]
