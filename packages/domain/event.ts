import type { EventData, EventType } from '#contracts/generated/events.ts'

/** What a decider decides: a type and its data. Ids, versions and metadata are added by whoever appends it. */
export type DomainEvent<T extends EventType = EventType> = { [K in T]: { type: K; data: EventData[K] } }[T]
