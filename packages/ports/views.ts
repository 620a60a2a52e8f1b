import { UnreachableError } from './unreachable.ts'

/** A document of a view: flat fields of JSON values, under an id. */
export type Document = Record<string, unknown>

/** A document as events up to a position have made it. */
export type GuardedWrite = {
  collection: string
  id: string
  /** Of the last event in it. The write is dropped where the stored document carries this position or a later one. */
  position: number
  /** The whole document: it replaces what is stored. */
  fields: Document
}

/** Which documents are wanted, and how many of them. */
export type PageQuestion = {
  /** The values that each field of the index may have: at least one for each. */
  where: Record<string, readonly string[]>
  /** The number that the page is ordered by. */
  by: string
  /** The last document of the page before. */
  after?: { by: number; id: string }
  limit: number
}

/** An index that pages are read by: the fields that a question names, in this order, and the number that orders them. */
export type PageIndex = { where: readonly string[]; by: string }

/** What an adapter must know of a collection before documents are put into it. */
export type CollectionDefinition = {
  /** Fields that `find` looks documents up by, each an index of the adapter. */
  findBy?: readonly string[]
  /** Indexes that `page` reads. Documents that lack a field of an index are on no page of it. */
  pages?: readonly PageIndex[]
  /**
   * A text that may be large. Adapters keep it apart from the other fields, so that listing documents, or looking at
   * their positions, does not read it.
   */
  largeField?: string
}

export type ViewsDefinition = {
  /** Raised when documents change their shape: views of another version are made again. */
  version: number
  collections: Readonly<Record<string, CollectionDefinition>>
}

export type Stored<D extends Document = Document> = D & { id: string; position: number }

/**
 * Documents made from events, to be read by id or by one field. They may be deleted at any moment and made again.
 *
 * Guarantees:
 * - `apply` makes its writes visible before, or together with, its checkpoint, and is durable enough that a
 *   checkpoint never survives without its writes. A repeat of a batch changes nothing.
 * - Writes are applied in the order given.
 * - Whoever writes does it upon what it wrote last: each collection carries a mark, the position of the newest event in
 *   it, and each checkpoint the mark that it stands for. Where marks or checkpoints are behind those that were written
 *   or read here before, or a mark is behind its checkpoint, the views are not what was written.
 * - Views that are not what was written, or that are damaged, are set aside at the next `begin`. New ones take their place,
 *   empty, and nobody reads them before `makeReadable`. Notes are kept where they can be.
 */
export interface Views extends AsyncDisposable {
  /**
   * Where to take these projections up: the smallest of their checkpoints; 0 where views had to be set aside. From now on
   * `apply` goes on with the views that are live now: once others have taken their place it throws, until this is called
   * again.
   */
  begin(projections: readonly string[]): Promise<number>

  /**
   * Applies a batch, then moves the checkpoints of these projections to `checkpoint` (never backwards).
   * @throws ViewsReplacedError these are no longer the views that `begin` began with; what is live has nothing of it
   * @throws ViewsLostError they are not what was written before this batch, of which nothing counts
   */
  apply(projections: readonly string[], writes: readonly GuardedWrite[], checkpoint: number): Promise<void>

  /** Whether what was begun and applied here is still what is stored: to be asked while nothing is applied. @throws as `apply` does */
  verify(): Promise<void>

  /** To be called when the views that were begun have come to the end of the feed: from now on they are read. */
  makeReadable(): Promise<void>

  /** Why the views cannot be read now, in one sentence for operators; undefined: they can. */
  problem(): Promise<string | undefined>

  /** A position up to which this projection has been applied; 0 when never. More may have been: an older one is safe. */
  checkpoint(projection: string): Promise<number>

  /** Resolves true when the checkpoint of `projection` is at `position` or beyond, false when `timeoutMs` milliseconds are over. */
  waitForCheckpoint(projection: string, position: number, timeoutMs: number): Promise<boolean>

  /** @throws ViewsUnreadableError the views are being made anew, or are behind what was read here before */
  get<D extends Document>(collection: string, id: string): Promise<Stored<D> | undefined>

  /** All documents of `ids` that exist, for whoever applies: also of views that nobody else may read yet. */
  getMany<D extends Document>(collection: string, ids: readonly string[]): Promise<Stored<D>[]>

  /**
   * The documents whose `field` equals `value`, in no promised order, without their large fields, which are not read.
   * Only fields that the definition of the collection names can be asked for.
   * @throws RangeError any other field
   * @throws ViewsUnreadableError as `get`
   */
  find<D extends Document>(collection: string, field: string, value: string): Promise<Stored<D>[]>

  /**
   * One page of the documents whose fields have one of the given values, the greatest `by` first; where it is equal,
   * the greatest id. Without their large fields: what is read for it grows with the page, not with the collection
   * and not with the results in it.
   * @throws RangeError the definition of the collection has no such index
   * @throws ViewsUnreadableError as `get`
   */
  page<D extends Document>(collection: string, question: PageQuestion): Promise<Stored<D>[]>

  /**
   * Resolves with the document as soon as its position is greater than `position` (0: as soon as it exists), or with
   * what is there when `timeoutMs` milliseconds are over or the signal is aborted.
   * @throws ViewsUnreadableError as `get`
   */
  waitForChange<D extends Document>(
    collection: string,
    id: string,
    position: number,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Stored<D> | undefined>

  /** A note of a service to itself or to others: the whole document is replaced, the last writer wins. */
  putNote(id: string, note: Document): Promise<void>
  /** The notes of `ids` that exist, by id. */
  getNotes<D extends Document>(ids: readonly string[]): Promise<Map<string, D>>
}

/** Views that can be made anew while they are read. */
export interface RebuildableViews extends Views {
  /** Begins to make all views anew, beside the live ones. What an earlier attempt has left is removed. */
  rebuild(): Promise<ViewsRebuild>
}

/** Views beside the live ones, which nobody reads until they take their place. Disposing removes what never did. */
export interface ViewsRebuild extends AsyncDisposable {
  /** To be filled from the beginning of the feed. */
  readonly views: Views
  /**
   * Puts them in the place of the live ones where they have passed their position. To be called again, while they are
   * still being filled, until it answers true: then nothing is missing from them that was ever shown.
   * @throws ViewsReplacedError another rebuild has come first
   */
  takeOver(): Promise<boolean>
}

/** Whoever applies begins again. */
export class ViewsReplacedError extends Error {
  readonly code: string = 'views_replaced'
  constructor(message = 'these views have been replaced by ones made anew') {
    super(message)
  }
}

/** The views are damaged, or not what was written: emptied, put back to an older copy, a collection of them dropped. */
export class ViewsLostError extends ViewsReplacedError {
  override readonly code = 'views_lost'
  /** @param what says in a few words what is wrong */
  constructor(what: string, options: { cause?: unknown } = {}) {
    super(`the views are not what was written: ${what}`)
    if (options.cause !== undefined) this.cause = options.cause
  }
}

/** What is stored is not to be believed until it has been made anew. Events can be read meanwhile. */
export class ViewsUnreadableError extends UnreachableError {
  override readonly code = 'views_unreadable'
  constructor() {
    super('the views', undefined)
    this.message = viewsProblem
  }
}

/** The sentence of ViewsUnreadableError and of `problem`. */
export const viewsProblem = 'the views are being made anew from the events'
