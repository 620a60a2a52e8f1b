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
   * When it is written; at once where this is missing. `later`: nobody waits for it, so it is written with the next
   * change of this document that does not wait, or with the next checkpoint.
   */
  written?: 'later'
  /**
   * The whole document after the event. `current` is the document before it, undefined where there was none: then there
   * may be none after it either.
   *
   * Best a method in the code as well: tsx gives each arrow function its name as it is made, which may take longer than
   * the fold.
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
  /** The change that an event makes; undefined for none. */
  changeOf(event: StoredEvent): Change<D> | undefined
  /** The documents that go with a stream that is removed; undefined where it has none here. */
  removedWith?(stream: string): GuardedRemoval['removes'] | undefined
}

/** The documents that go with a stream whose name begins with the prefix. @param removes from the rest of its name */
export const goneWith =
  (prefix: string, removes: (rest: string) => GuardedRemoval['removes']): NonNullable<Projection['removedWith']> =>
  (stream) =>
    stream.startsWith(prefix) ? removes(stream.slice(prefix.length)) : undefined
