import { UnreachableError } from './unreachable.ts'

/** A document of a view: flat fields of JSON values, under an id. */
export type Document = Record<string, unknown>

/** A document as events up to a position have made it. */
export type GuardedWrite = {
  collection: string
  id: string
  /**
   * The position of the last event in it. The write is dropped where the stored document has this position or a later
   * one.
   */
  position: number
  /** The whole document: it replaces what is stored. */
  fields: Document
}

/** Documents that are gone since an event. Those of its position or a later one stay. */
export type GuardedRemoval = {
  collection: string
  position: number
  /** The id of the one document, or what the ids of all of them begin with: at least one character. */
  removes: { id: string } | { idPrefix: string }
}

export type GuardedChange = GuardedWrite | GuardedRemoval

/** Which documents a page has, and how many. */
export type PageQuestion = {
  /** The values that each field of the index may have, at least one each. */
  where: Record<string, readonly string[]>
  /** The number that the page is ordered by. */
  by: string
  /** The last document of the page before; with an empty id, the number that all documents of the page are below. */
  after?: { by: number; id: string }
  limit: number
}

/** An index that pages are read by: the fields that a question names, in this order, and the number that orders them. */
export type PageIndex = { where: readonly string[]; by: string }

/** What an adapter has to know about a collection in advance. */
export type CollectionDefinition = {
  /** Fields that `find` looks documents up by, each an index of the adapter. */
  findBy?: readonly string[]
  /** Indexes that `page` reads. Documents that lack a field of an index are on no page of it. */
  pages?: readonly PageIndex[]
  /**
   * A text field that may be large. Adapters store it apart from the other fields: lists of documents and looks at
   * their positions do not read it.
   */
  largeField?: string
}

export type ViewsDefinition = {
  /** Raised when documents change their shape, and with a new collection: views of another version are made anew. */
  version: number
  collections: Readonly<Record<string, CollectionDefinition>>
}

export type Stored<D extends Document = Document> = D & { id: string; position: number }

/** Up to where a batch brings the views. */
export type AppliedTo = {
  /** Every change up to here that somebody waits for is written by this batch, or was before. */
  position: number
  /**
   * Every change up to here, at most `position`: a restart reads the feed from here on. Without it the checkpoint stays: a
   * caller that writes often saves several batches by one, and a restart reads their events again.
   */
  checkpoint?: number
}

/**
 * Documents made from events, read by id or by a field. They may be deleted at any moment and made anew.
 *
 * One document, the state of the views, says of which definition and event store they are, which generation, and up to
 * where they go: `applied` moves with every batch, `checkpoint` less often.
 *
 * Guarantees:
 * - A batch is visible before its `applied` and `checkpoint`, or together with them; these never survive a crash without it.
 *   A repeat of a batch changes nothing.
 * - Writes are applied in the order given.
 * - A removed document stays away: no change by an event before its removal makes it anew, also where it is repeated.
 * - Several processes may write the same views. Who finds that another has written since has to `begin` again.
 * - Views that were emptied, put back as a whole to an older copy, or exchanged for those of another event store are
 *   noticed: by a writer with its next batch or `verify`, by a reader within about a second. What somebody has changed in
 *   a single document or collection is not noticed here (see packages/history/verify).
 * - Views that are not what was written, or that are damaged, are set aside at the next `begin`. Empty ones take their
 *   place, which nobody can read before `makeReadable`. Notes are kept where possible, but for those of another event store.
 */
export interface Views extends AsyncDisposable {
  /**
   * The checkpoint, from which the feed is to be read; 0 where views had to be set aside. From now on `apply` writes to the
   * views that are live now. Once others have replaced them, or have written to them, it throws until this is called again.
   */
  begin(): Promise<number>

  /**
   * Applies a batch, then moves the state (never backwards). A batch with removals has a checkpoint at their position or
   * beyond it.
   * @throws ViewsReplacedError another process has written to these views, or has replaced them. Writes of this batch may be
   * there, which does no harm
   * @throws ViewsLostError they are not what was written before; nothing of this batch counts
   */
  apply(changes: readonly GuardedChange[], to: AppliedTo): Promise<void>

  /**
   * Checks that the stored views are still those applied here. Called while nothing is applied. @throws as `apply` does
   */
  verify(): Promise<void>

  /** Called once those that `begin` found have reached the end of the feed: from then on they can be read. */
  makeReadable(): Promise<void>

  /** Why the views cannot be read now, in one sentence for operators; undefined where they can. */
  problem(): Promise<string | undefined>

  /** The position up to which all events are in the views; 0 where there are none. It may be out of date, which is safe. */
  checkpoint(): Promise<number>

  /**
   * Resolves true once everything up to `position` that somebody waits for can be read, false after `timeoutMs`
   * milliseconds.
   */
  waitForApplied(position: number, timeoutMs: number): Promise<boolean>

  /** @throws ViewsUnreadableError the views are being made anew, or are behind what was seen here before */
  get<D extends Document>(collection: string, id: string): Promise<Stored<D> | undefined>

  /** All documents of `ids` that exist, for projections: also from views that are not readable yet. */
  getMany<D extends Document>(collection: string, ids: readonly string[]): Promise<Stored<D>[]>

  /**
   * The documents whose `field` equals `value`, in any order, without their large fields, which are not read. `field`
   * is one that the definition of the collection lists in `findBy`.
   * @throws RangeError any other field
   * @throws ViewsUnreadableError as `get`
   */
  find<D extends Document>(collection: string, field: string, value: string): Promise<Stored<D>[]>

  /**
   * One page of the documents whose fields have one of the given values each, the greatest `by` first, then the
   * greatest id. Without their large fields: the cost grows with the page, not with the collection or with the results
   * in it.
   * @throws RangeError the definition of the collection has no such index
   * @throws ViewsUnreadableError as `get`
   */
  page<D extends Document>(collection: string, question: PageQuestion): Promise<Stored<D>[]>

  /**
   * Resolves with the document as soon as its position is greater than `position` (0: as soon as it exists), or with
   * the stored document after `timeoutMs` milliseconds or when the signal is aborted. Where it had a position and is
   * gone, it resolves with undefined at once.
   * @throws ViewsUnreadableError as `get`
   */
  waitForChange<D extends Document>(
    collection: string,
    id: string,
    position: number,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Stored<D> | undefined>

  /** Stores a note of a service for itself or for others. It replaces the whole note: the last writer wins. */
  putNote(id: string, note: Document): Promise<void>
  /** The notes of `ids` that exist, by id. */
  getNotes<D extends Document>(ids: readonly string[]): Promise<Map<string, D>>
}

/** Views that can be made anew while they are read. */
export interface RebuildableViews extends Views {
  /** Begins to make all views anew, beside the live ones. Removes what an earlier attempt has left. */
  rebuild(): Promise<ViewsRebuild>
}

/** Views beside the live ones, which nobody reads until they take their place. Disposing before that removes them. */
export interface ViewsRebuild extends AsyncDisposable {
  /** The new views, to be filled from the beginning of the feed. */
  readonly views: Views
  /**
   * Puts the new views in the place of the live ones, if they have passed their position. Called again, while they are
   * still being filled, until it returns true: then they have everything that was ever shown.
   * @throws ViewsReplacedError another rebuild has come first
   */
  takeOver(): Promise<boolean>
}

/** Another process has replaced the views, or has written to them: projections have to `begin` again. */
export class ViewsReplacedError extends Error {
  readonly code: string = 'views_replaced'
  constructor(message = 'another process has written to these views, or has made them anew') {
    super(message)
  }
}

/** The views are damaged, or not what was written: emptied, put back to an older copy, or of another event store. */
export class ViewsLostError extends ViewsReplacedError {
  override readonly code = 'views_lost'
  /** @param what the problem, in a few words */
  constructor(what: string, options: { cause?: unknown } = {}) {
    super(`the views are not what was written: ${what}`)
    if (options.cause !== undefined) this.cause = options.cause
  }
}

/** The stored views cannot be trusted until they have been made anew. Events can be read meanwhile. */
export class ViewsUnreadableError extends UnreachableError {
  override readonly code = 'views_unreadable'
  constructor() {
    super('the views', undefined)
    this.message = viewsProblem
  }
}

/** The message of ViewsUnreadableError and of `problem`. */
export const viewsProblem = 'the views are being made anew from the events'
