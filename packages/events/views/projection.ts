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
   * When to write the change. Missing: at once. `later`: no caller waits for it, so it is written with the document's
   * next change that is due at once, or with the next checkpoint.
   */
  written?: 'later'
  /**
   * The whole document after the event. `current` is the document before it, undefined if there was none. Then the
   * result may be undefined too.
   *
   * Prefer a method to an arrow function: tsx names each arrow function when it is made, which may take longer than the
   * fold.
   */
  next(current: D | undefined): D | undefined
}

/** How events become the documents of one collection. Pure: the same events always give the same documents. */
export type Projection<D extends Document = Document> = {
  /** Names the collection. */
  name: string
  /** Prefixes of the streams whose events it reads. `changeOf` may be called with events of other streams as well. */
  prefixes: readonly string[]
  collection: CollectionDefinition
  /** The change that an event makes. Undefined if it makes none. */
  changeOf(event: StoredEvent): Change<D> | undefined
  /** The documents to remove together with a stream. Undefined if there are none. */
  removedWith?(stream: string): GuardedRemoval['removes'] | undefined
}

/** Removes documents together with a stream with this prefix. @param removes gets the rest of the stream's name */
export const goneWith =
  (prefix: string, removes: (rest: string) => GuardedRemoval['removes']): NonNullable<Projection['removedWith']> =>
  (stream) =>
    stream.startsWith(prefix) ? removes(stream.slice(prefix.length)) : undefined
