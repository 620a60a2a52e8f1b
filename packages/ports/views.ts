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
  /** Applies a batch, then moves the checkpoints of these projections to `checkpoint` (never backwards). */
  apply(projections: readonly string[], writes: readonly GuardedWrite[], checkpoint: number): Promise<void>

  /** A position up to which this projection has been applied; 0 when never. More may have been: an older one is safe. */
  checkpoint(projection: string): Promise<number>

  /** Resolves true when the checkpoint of `projection` is at `position` or beyond, false when `timeoutMs` milliseconds are over. */
  waitForCheckpoint(projection: string, position: number, timeoutMs: number): Promise<boolean>

  get<D extends Document>(collection: string, id: string): Promise<Stored<D> | undefined>

  /** All documents of `ids` that exist. */
  getMany<D extends Document>(collection: string, ids: readonly string[]): Promise<Stored<D>[]>

  /**
   * The documents whose `field` equals `value`, in no promised order. Only fields named in `indexedFields` can be
   * asked for.
   * @throws RangeError any other field
   */
  find<D extends Document>(collection: string, field: string, value: string): Promise<Stored<D>[]>

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

/** Collections and the fields they can be found by, each an index of the adapter. */
export const indexedFields: Record<string, readonly string[]> = {
  jobs: [],
  keys: ['orgId'],
  balances: [],
}
