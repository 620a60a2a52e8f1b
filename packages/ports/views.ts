import type { Shard } from './shards.ts'
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
  /** The shard of its event; missing where that is not known: then it counts to all that were begun. */
  shard?: Shard
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
  /** Raised when documents change their shape: views of another version are made anew. */
  version: number
  collections: Readonly<Record<string, CollectionDefinition>>
}

export type Stored<D extends Document = Document> = D & { id: string; position: number }

/**
 * Documents made from events, read by id or by a field. They may be deleted at any moment and made anew.
 *
 * Guarantees:
 * - `apply` makes its writes visible before its checkpoint, or together with it. A checkpoint never survives a crash
 *   without its writes: those that come after the last checkpoint are made again from their events. A repeat of a batch
 *   changes nothing.
 * - Writes are applied in the order given.
 * - A removed document stays away: no change by an event before its removal makes it anew, also where it is repeated.
 * - Lost changes are noticed: each collection has a mark, the position of the newest event in it, and each checkpoint
 *   records the mark of its time. Where a mark or a checkpoint is behind one that this process has written or read, or
 *   a mark is behind its checkpoint, the views are not what was written.
 * - Views that are not what was written, or that are damaged, are set aside at the next `begin`. Empty ones take their
 *   place, which nobody can read before `makeReadable`. Notes are kept where possible.
 */
export interface Views extends AsyncDisposable {
  /**
   * The position from which these projections go on in these shards (missing: all): the smallest of their checkpoints; 0
   * where views had to be set aside. From now on `apply` writes to the views that are live now, and moves the checkpoints
   * of these shards. Once others have replaced them it throws, until this is called again; likewise where documents of these
   * shards were mended (see ViewsMender). Others may have begun the same shards.
   */
  begin(projections: readonly string[], shards?: ReadonlySet<Shard>): Promise<number>

  /**
   * Applies a batch, then moves the checkpoints of these projections to `checkpoint` (never backwards). Without one the
   * checkpoints stay: a caller that writes often saves several batches by one checkpoint, and a restart reads their
   * events again. A batch with removals has a checkpoint at their position or beyond it.
   * @throws ViewsReplacedError the views that `begin` found were replaced, and the live ones have nothing of this batch.
   * Without a checkpoint it may be noticed only by the next call with one, or by `verify`. Or documents of its shards were
   * mended, and nothing of this batch is written
   * @throws ViewsLostError they are not what was written before; nothing of this batch counts
   */
  apply(projections: readonly string[], changes: readonly GuardedChange[], checkpoint?: number): Promise<void>

  /**
   * Checks that the stored views are still those applied here. Called while nothing is applied. @throws as `apply` does
   */
  verify(): Promise<void>

  /**
   * Called once those that `begin` found have reached the end of the feed in its shards. They can be read when that has
   * been said of every shard.
   */
  makeReadable(): Promise<void>

  /** Why the views cannot be read now, in one sentence for operators; undefined where they can. */
  problem(): Promise<string | undefined>

  /**
   * A position up to which this projection has been applied in every shard; 0 where it never was. It may be out of date,
   * which is safe.
   */
  checkpoint(projection: string): Promise<number>

  /** Resolves true once the checkpoint is at `position` or beyond, false after `timeoutMs` milliseconds. */
  waitForCheckpoint(projection: string, position: number, timeoutMs: number): Promise<boolean>

  /** @throws ViewsUnreadableError the views are being made anew, or are behind what was read here before */
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
  /** Stores several notes, by id, at about the cost of one. Where it fails, any of them may be stored. */
  putNotes(notes: ReadonlyMap<string, Document>): Promise<void>
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

/** The views were replaced: projections have to `begin` again. */
export class ViewsReplacedError extends Error {
  readonly code: string = 'views_replaced'
  constructor(message = 'these views have been replaced by ones made anew') {
    super(message)
  }
}

/** The views are damaged, or not what was written: emptied, put back to an older copy, a collection of them dropped. */
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
