/** What an analyst's projection is made of. `template.ts` beside it is the place to begin. */
export type { Projection } from '#packages/history/questions/projection.ts'
export type { StoredEvent } from '#packages/ports/event-store.ts'
