/** The type of an analyst's projection. Start from `template.ts` in this folder. */
export type { Projection } from '#packages/history/questions/projection.ts'
export type { StoredEvent } from '#packages/ports/event-store.ts'
