import type { EventStore } from '#packages/ports/event-store.ts'

/** The event store, as far as those who only ask need it. */
export type HistoryStore = Pick<EventStore, 'read' | 'readBackwards' | 'follow'>
