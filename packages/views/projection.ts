import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { CollectionDefinition, Document, GuardedRemoval } from '#packages/ports/views.ts'

/** A change of one document by one event. */
export type Change<D extends Document = Document> = {
  id: string
  /**
   * `first`: `next` ignores the stored document, so it is not read. `last`: further events are rare, so the document is
   * not kept in memory.
   */
  place?: 'first' | 'last'
  /**
   * When to write it; missing: at once. `later`: no caller waits for it. It is written with the document's next change
   * that does not wait, or with the next checkpoint.
   */
  written?: 'later'
  /**
   * The whole document after the event. `current` is the document before it; if undefined, the result may be undefined
   * too.
   */
  next(current: D | undefined): D | undefined
}

/** How events become the documents of one collection. Pure: the same events always give the same documents. */
export type Projection<D extends Document = Document> = {
  /** Names the collection. */
  name: string
  /** Prefixes of the streams that it reads. `changeOf` may be called with events of other streams as well. */
  prefixes: readonly string[]
  collection: CollectionDefinition
  /** The change that an event makes; undefined for none. */
  changeOf(event: StoredEvent): Change<D> | undefined
  /** The documents to remove with a removed stream; undefined if it has none here. */
  removedWith?(stream: string): GuardedRemoval['removes'] | undefined
}

/** The documents to remove with a stream that has this prefix. @param removes takes the rest of its name */
export const goneWith =
  (prefix: string, removes: (rest: string) => GuardedRemoval['removes']): NonNullable<Projection['removedWith']> =>
  (stream) =>
    stream.startsWith(prefix) ? removes(stream.slice(prefix.length)) : undefined
