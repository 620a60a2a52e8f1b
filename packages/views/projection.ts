import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Document, Stored } from '#packages/ports/views.ts'

/** How events become the documents of one collection. Pure: the same events always give the same documents. */
export type Projection<D extends Document = Document> = {
  /** Names the collection and the checkpoint. */
  name: string
  /** Streams whose events it reads, by the beginning of their names. */
  prefixes: readonly string[]
  /** Which document an event belongs to; undefined: none. */
  documentIdOf(event: StoredEvent): string | undefined
  /** Fields to set because of this event, given what the document is so far; undefined: none. */
  project(event: StoredEvent, current: Stored<D> | undefined): Partial<D> | undefined
}
