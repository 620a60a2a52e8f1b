import type { EventData, EventType } from '#contracts/generated/events.ts'

/** What a decider decides: a type and its data. Ids, versions and metadata are added by whoever appends it. */
export type DomainEvent<T extends EventType = EventType> = { [K in T]: { type: K; data: EventData[K] } }[T]

/** A decided event as the store gives it back: with the time it was recorded, the only time that counts. */
export type Recorded<E extends DomainEvent = DomainEvent> = E & {
  /** Milliseconds since 1970, UTC. */
  recordedAt: number
}
