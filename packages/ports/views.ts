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

export type Stored<D extends Document = Document> = D & { id: string; position: number }

/**
 * Documents made from events, to be read by id or by one field. They may be deleted at any moment and made again.
 *
 * Guarantees:
 * - `apply` makes its writes visible before, or together with, its checkpoint, and is durable enough that a
 *   checkpoint never survives without its writes. A repeat of a batch changes nothing.
 * - Writes are applied in the order given.
 */
export interface Views extends AsyncDisposable {
  /**
   * Where to take these projections up: the smallest of their checkpoints. From now on `apply` goes on with the views
   * that are live now: once others have taken their place it throws, until this is called again.
   */
  begin(projections: readonly string[]): Promise<number>

  /**
   * Applies a batch, then moves the checkpoints of these projections to `checkpoint` (never backwards).
   * @throws ViewsReplacedError these are no longer the views that `begin` began with; what is live has nothing of it
   */
  apply(projections: readonly string[], writes: readonly GuardedWrite[], checkpoint: number): Promise<void>

  /** A position up to which this projection has been applied; 0 when never. More may have been: an older one is safe. */
  checkpoint(projection: string): Promise<number>

  /** Resolves true when the checkpoint of `projection` is at `position` or beyond, false when `timeoutMs` milliseconds are over. */
  waitForCheckpoint(projection: string, position: number, timeoutMs: number): Promise<boolean>

  get<D extends Document>(collection: string, id: string): Promise<Stored<D> | undefined>

  /** All documents of `ids` that exist. */
  getMany<D extends Document>(collection: string, ids: readonly string[]): Promise<Stored<D>[]>

  /**
   * The documents whose `field` equals `value`, in no promised order, without their large fields, which are not read.
   * Only fields named in `indexedFields` can be asked for.
   * @throws RangeError any other field
   */
  find<D extends Document>(collection: string, field: string, value: string): Promise<Stored<D>[]>

  /**
   * One page of the documents whose fields have one of the given values, the greatest `by` first; where it is equal,
   * the greatest id. Without their large fields: what is read for it grows with the page, not with the collection
   * and not with the results in it.
   * @throws RangeError there is no such index in `pageIndexes`
   */
  page<D extends Document>(collection: string, question: PageQuestion): Promise<Stored<D>[]>

  /**
   * Resolves with the document as soon as its position is greater than `position` (0: as soon as it exists), or with
   * what is there when `timeoutMs` milliseconds are over or the signal is aborted.
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

export class ViewsReplacedError extends Error {
  readonly code = 'views_replaced'
  constructor() {
    super('these views have been replaced by ones made anew')
  }
}

/** Collections and the fields they can be found by, each an index of the adapter. */
export const indexedFields: Record<string, readonly string[]> = {
  jobs: [],
  keys: ['listedFor'],
  balances: [],
  dailyUse: [],
}

/**
 * The field of a collection that may be large, as text: adapters keep it apart from the others, so that who lists
 * documents, or looks at their positions, does not read it.
 */
export const largeFields: Readonly<Record<string, string>> = { jobs: 'result' }

/**
 * Indexes that pages are read by: the fields that a question names, in this order, and the number that orders them.
 * Documents that lack one of them are on no page.
 */
export const pageIndexes: Record<string, readonly { where: readonly string[]; by: string }[]> = {
  jobs: [
    { where: ['orgId', 'kind', 'listedAs'], by: 'requestedAt' },
    { where: ['orgId', 'idempotencyKeyHash', 'kind', 'listedAs'], by: 'requestedAt' },
  ],
}

/** Raised when documents change their shape: views of another version are made again. */
export const viewsVersion = 3
