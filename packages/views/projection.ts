import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { CollectionDefinition, Document } from '#packages/ports/views.ts'

/** What one event does to one document. */
export type Change<D extends Document = Document> = {
  id: string
  /**
   * `first`: `next` makes all of the document, whatever was there, so that nothing has to be read; `last`: seldom does
   * another follow, so that nothing has to be remembered.
   */
  place?: 'first' | 'last'
  /** The whole document after the event, made from the one before it; undefined: there was none. */
  next(current: D | undefined): D
}

/** How events become the documents of one collection. Pure: the same events always give the same documents. */
export type Projection<D extends Document = Document> = {
  /** Names the collection and the checkpoint. */
  name: string
  /** Streams whose events it reads, by the beginning of their names. It may be asked about events of others as well. */
  prefixes: readonly string[]
  collection: CollectionDefinition
  /** What an event changes; undefined: nothing. */
  changeOf(event: StoredEvent): Change<D> | undefined
}
