import { UnreachableError } from './unreachable.ts'

/** A document of a view: flat fields of JSON values, under an id. */
export type Document = Record<string, unknown>

/** The content of a document, made by events up to a position. */
export type GuardedWrite = {
  collection: string
  id: string
  /**
   * The position of the last event in it. The write is dropped if the stored document has this position or a later one.
   */
  position: number
  /** The whole document, which replaces the stored one. */
  fields: Document
}

/** Documents that an event removes. Those at its position or a later one stay. */
export type GuardedRemoval = {
  collection: string
  position: number
  /** The id of one document, or a prefix of the ids of all of them: at least one character. */
  removes: { id: string } | { idPrefix: string }
}

export type GuardedChange = GuardedWrite | GuardedRemoval

/** The documents of a page, and their number. */
export type PageQuestion = {
  /** The allowed values of each field of the index, at least one each. */
  where: Record<string, readonly string[]>
  /** The number that orders the page. */
  by: string
  /** The last document of the page before. With an empty id: all documents of the page are below the number. */
  after?: { by: number; id: string }
  limit: number
}

/** An index for pages: the fields that a question names, in this order, and the number that orders them. */
export type PageIndex = { where: readonly string[]; by: string }

/** The properties of a collection that an adapter must know in advance. */
export type CollectionDefinition = {
  /** Fields that `find` looks documents up by. The adapter indexes each. */
  findBy?: readonly string[]
  /** Indexes for `page`. A document that lacks a field of an index is on no page of that index. */
  pages?: readonly PageIndex[]
  /**
   * A text field that may be large. Adapters store it separately, so that lists of documents and looks at their
   * positions do not read it.
   */
  largeField?: string
}

export type ViewsDefinition = {
  /** Raised when documents change their shape, and with a new collection. Views of another version are rebuilt. */
  version: number
  collections: Readonly<Record<string, CollectionDefinition>>
}

export type Stored<D extends Document = Document> = D & { id: string; position: number }

/** The positions of the views after a batch. */
export type AppliedTo = {
  /** Every change up to here that callers may wait for is stored, by this batch or an earlier one. */
  position: number
  /**
   * Every change up to this position (at most `position`) is stored: a restart reads the feed from here on. If missing,
   * the checkpoint stays. A frequent writer saves one checkpoint for several batches; after a restart their events are
   * read again.
   */
  checkpoint?: number
}

/**
 * Documents made from events, read by id or by a field. They may be deleted at any moment and rebuilt.
 *
 * One document, the state of the views, names their definition, event store and generation, and records how far they
 * have come. `applied` moves with every batch, `checkpoint` less often.
 *
 * Guarantees:
 * - A batch is visible before its `applied` and `checkpoint`, or together with them; these never survive a crash
 *   without it. A repeat of a batch changes nothing.
 * - Writes are applied in the order given.
 * - A removed document stays away: a change by an event before its removal does not restore it, even if it is repeated.
 * - Several processes may write the same views. A writer that finds that another has written since has to `begin`
 *   again.
 * - It is noticed if views were emptied, restored as a whole from an older copy, or replaced by those of another event
 *   store: by a writer with its next batch or `verify`, by a reader within about a second. A change to a single
 *   document or collection is not noticed here (see packages/history/questions/verify).
 * - Views that are damaged, or not what was written, are set aside at the next `begin`. Empty ones take their place,
 *   and cannot be read before `makeReadable`. Notes are kept if possible, except those of another event store.
 */
export interface Views extends AsyncDisposable {
  /**
   * Returns the checkpoint, from which to read the feed; 0 if views had to be set aside. From now on `apply` writes to
   * the views that are live now. Once another process has replaced them, or has written to them, `apply` throws until
   * this is called again.
   */
  begin(): Promise<number>

  /**
   * Applies a batch, then moves the state (never backwards). A batch with removals needs a checkpoint at their position
   * or beyond it.
   * @throws ViewsReplacedError another process has written to these views, or has replaced them. Writes of this batch
   * may be there, which does no harm
   * @throws ViewsLostError they are not what was written before; nothing of this batch counts
   */
  apply(changes: readonly GuardedChange[], to: AppliedTo): Promise<void>

  /**
   * Checks that the stored views are still those applied here. Do not call it while a batch is being applied. @throws
   * as `apply` does
   */
  verify(): Promise<void>

  /** Call it once the views that `begin` found have reached the end of the feed. From then on they can be read. */
  makeReadable(): Promise<void>

  /** Why the views cannot be read now, in one sentence for operators; undefined if they can. */
  problem(): Promise<string | undefined>

  /**
   * The position up to which all events are in the views; 0 if there are none. It may be out of date, which is safe.
   */
  checkpoint(): Promise<number>

  /**
   * Resolves true once everything up to `position` that a caller may wait for can be read; false after `timeoutMs`
   * milliseconds.
   */
  waitForApplied(position: number, timeoutMs: number): Promise<boolean>

  /** @throws ViewsUnreadableError the views are being rebuilt, or are behind what was seen here before */
  get<D extends Document>(collection: string, id: string): Promise<Stored<D> | undefined>

  /** All documents of `ids` that exist, for projections. Also reads views that are not readable yet. */
  getMany<D extends Document>(collection: string, ids: readonly string[]): Promise<Stored<D>[]>

  /**
   * All documents of `ids` that exist, in any order. Their large fields are not read.
   * @throws ViewsUnreadableError as `get`
   */
  listMany<D extends Document>(collection: string, ids: readonly string[]): Promise<Stored<D>[]>

  /**
   * The documents with this value of `field`, in any order. Their large fields are not read. The definition of the
   * collection has to list `field` in `findBy`.
   * @throws RangeError any other field
   * @throws ViewsUnreadableError as `get`
   */
  find<D extends Document>(collection: string, field: string, value: string): Promise<Stored<D>[]>

  /**
   * One page of the documents that have one of the given values in each field. The greatest `by` comes first, then the
   * greatest id. Large fields are not read: the cost grows with the page, not with the collection or its results.
   * @throws RangeError the definition of the collection has no such index
   * @throws ViewsUnreadableError as `get`
   */
  page<D extends Document>(collection: string, question: PageQuestion): Promise<Stored<D>[]>

  /**
   * Resolves with the document as soon as its position is greater than `position` (0: as soon as it exists). After
   * `timeoutMs` milliseconds, or when the signal is aborted, resolves with the stored document. If it had a position
   * and is gone, resolves with undefined at once.
   * @throws ViewsUnreadableError as `get`
   */
  waitForChange<D extends Document>(
    collection: string,
    id: string,
    position: number,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Stored<D> | undefined>

  /**
   * Stores a note that services keep for themselves or for others. It replaces the whole note: the last writer wins.
   */
  putNote(id: string, note: Document): Promise<void>
  /** The notes of `ids` that exist, by id. */
  getNotes<D extends Document>(ids: readonly string[]): Promise<Map<string, D>>
}

/** Views that can be rebuilt while they are read. */
export interface RebuildableViews extends Views {
  /** Begins to rebuild all views, beside the live ones. Removes the remains of an earlier attempt. */
  rebuild(): Promise<ViewsRebuild>
}

/** Views beside the live ones, not visible until they take over. Disposing before that removes them. */
export interface ViewsRebuild extends AsyncDisposable {
  /** The new views, to be filled from the beginning of the feed. */
  readonly views: Views
  /**
   * Makes the new views the live ones, if they have passed the position of the live ones. Call it repeatedly, while
   * filling them, until it returns true: then they have everything that was ever shown.
   * @throws ViewsReplacedError another rebuild has come first
   */
  takeOver(): Promise<boolean>
}

/** Another process has replaced the views, or has written to them: projections have to `begin` again. */
export class ViewsReplacedError extends Error {
  readonly code: string = 'views_replaced'
  constructor(message = 'another process has written to these views, or has rebuilt them', options?: ErrorOptions) {
    super(message, options)
  }
}

/** The views are damaged, or not what was written: emptied, restored from an older copy, or of another event store. */
export class ViewsLostError extends ViewsReplacedError {
  override readonly code = 'views_lost'
  /** @param what the problem, in a few words */
  constructor(what: string, options?: ErrorOptions) {
    super(`the views are not what was written: ${what}`, options)
  }
}

/** The stored views cannot be trusted until they have been rebuilt. Events can be read meanwhile. */
export class ViewsUnreadableError extends UnreachableError {
  override readonly code = 'views_unreadable'
  constructor() {
    super('the views', undefined, viewsProblem)
  }
}

/** The message of ViewsUnreadableError and of `problem`. */
export const viewsProblem = 'the views are being rebuilt from the events'
