import type { EventStore } from '#packages/ports/event-store.ts'

/** The part of the event store that readers need. */
export type HistoryStore = Pick<EventStore, 'read' | 'readBackwards' | 'follow'>
