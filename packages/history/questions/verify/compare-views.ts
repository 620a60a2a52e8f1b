import { isDeepStrictEqual } from 'node:util'
import type { Projection } from '#packages/events/views/projection.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Document, Stored } from '#packages/ports/views.ts'
import type { ViewsReader } from '#packages/ports/views-reader.ts'
import type { HistoryStore } from '../history-store.ts'
import { allStreams } from '../projection.ts'
import { readHistory, type Take } from '../read-history.ts'
import { asStored, type DocumentFold, type FoldedDocument, isIn } from './document-fold.ts'
import { type CutHistory, type FoldOptions, type FoldPass, foldPasses } from './fold-documents.ts'

/**
 * A document that differs from what the events say. `stored` undefined: it is missing. `expected` undefined: it should
 * not exist.
 */
export type ViewDifference = {
  collection: string
  id: string
  stored: Stored<Document> | undefined
  expected: Stored<Document> | undefined
}

export type ViewsComparison = {
  /** The position up to which the views were compared. Undefined if they could not be compared. */
  position: number | undefined
  documents: number
  differing: number
  /** The difference with the earliest event. */
  first: ViewDifference | undefined
  /** Documents that could not be compared, because they kept changing. */
  moving: number
  /** Documents that could not be compared, because some of their events were removed or truncated. */
  cut: number
}

/** How often changed documents are read again. */
const ROUNDS = 5

/** How many documents are read at once by id. */
const PAGE = 500

type Looked = { fold: DocumentFold; id: string }

/**
 * Compares the stored views with a fresh replay of the events, even while services run. It folds the feed up to the
 * checkpoint of the views. Documents that have changed since are compared again at their newer position.
 */
export class ViewsCheck {
  readonly #result: ViewsComparison = {
    position: undefined,
    documents: 0,
    differing: 0,
    first: undefined,
    moving: 0,
    cut: 0,
  }
  readonly #store: HistoryStore
  readonly #reader: ViewsReader
  readonly #passes: Iterator<FoldPass, undefined>
  #pass: FoldPass | undefined
  /** The checkpoint of the views when the pass began. */
  #until = 0

  constructor(store: HistoryStore, reader: ViewsReader, projections: readonly Projection[], options: FoldOptions = {}) {
    this.#store = store
    this.#reader = reader
    this.#passes = foldPasses(projections, options)
  }

  /** Begins the first pass. Then `take` needs all events of the feed, at least up to its present end. */
  async begin(): Promise<void> {
    const until = await this.#reader.checkpoint()
    if (until !== undefined) this.#next(until)
  }

  take(events: readonly StoredEvent[]): void {
    const isPast = (events.at(-1)?.position ?? 0) > this.#until
    this.#pass?.take(isPast ? events.filter(({ position }) => position <= this.#until) : events)
  }

  /**
   * Compares the folded documents with the stored ones. If one pass could not hold all documents, it reads the feed
   * again for the rest.
   */
  async end(): Promise<ViewsComparison> {
    for (let pass = this.#pass; pass !== undefined; ) {
      await this.#compare(pass, this.#until)
      pass = this.#next((await this.#reader.checkpoint()) ?? this.#until)
      if (pass !== undefined) await this.#readTo(this.#until, (events) => this.take(events))
    }
    return this.#result
  }

  #next(until: number): FoldPass | undefined {
    this.#until = until
    this.#pass = this.#passes.next().value
    return this.#pass
  }

  #readTo(position: number, take: Take, after = 0): Promise<void> {
    return readHistory(this.#store, { prefixes: allStreams, after, to: { position } }, take)
  }

  /** @param until the folds include all events up to here */
  async #compare(pass: FoldPass, until: number): Promise<void> {
    const { folds, share, cut } = pass
    this.#result.position = until
    let open: Looked[] = []
    for (const fold of folds) {
      const missing = new Set(fold.documents.keys())
      for await (const page of this.#reader.documents(fold.projection.name))
        for (const stored of page) {
          if (!isIn(share, stored.id)) continue
          missing.delete(stored.id)
          if (!this.#settled(fold, stored.id, stored, cut, until)) open.push({ fold, id: stored.id })
        }
      // They may have been stored after their page was read.
      for (const id of missing) open.push({ fold, id })
    }
    for (let round = 0; round < ROUNDS && open.length > 0; round++) {
      until = await this.#foldOn(pass, until)
      open = await this.#lookAgain(open, cut, until)
    }
    this.#result.moving += open.length
  }

  /** Folds the events up to the present checkpoint of the views. */
  async #foldOn(pass: FoldPass, after: number): Promise<number> {
    const to = Math.max(after, (await this.#reader.checkpoint()) ?? after)
    if (to > after) await this.#readTo(to, (events) => pass.fold(events), after)
    return to
  }

  /** @returns the documents that have changed again */
  async #lookAgain(open: readonly Looked[], cut: CutHistory, until: number): Promise<Looked[]> {
    const still: Looked[] = []
    for (const [fold, looked] of Map.groupBy(open, ({ fold }) => fold))
      for (let from = 0; from < looked.length; from += PAGE) {
        const ids = looked.slice(from, from + PAGE).map(({ id }) => id)
        const stored = new Map((await this.#reader.getMany(fold.projection.name, ids)).map((one) => [one.id, one]))
        for (const id of ids) if (!this.#settled(fold, id, stored.get(id), cut, until)) still.push({ fold, id })
      }
    return still
  }

  /** Compares one document. @returns false if the stored document is newer than the folded one */
  #settled(
    fold: DocumentFold,
    id: string,
    stored: Stored<Document> | undefined,
    cut: CutHistory,
    until: number,
  ): boolean {
    if (stored !== undefined && stored.position > until) return false
    this.#result.documents++
    const folded = fold.documents.get(id)
    // The usual case. It needs no copy of the document.
    if (stored !== undefined && folded !== undefined && isSame(stored, folded)) return true
    const expected = asStored(id, folded)
    if (isDeepStrictEqual(stored, expected)) return true
    if (isOfCut(fold.projection, stored ?? expected, cut)) this.#result.cut++
    else this.#differs({ collection: fold.projection.name, id, stored, expected })
    return true
  }

  #differs(difference: ViewDifference): void {
    this.#result.differing++
    const { first } = this.#result
    if (first === undefined || positionOf(difference) < positionOf(first)) this.#result.first = difference
  }
}

/**
 * Compares field by field. Stores leave out undefined fields. A field with an undefined value deeper inside counts as
 * different.
 */
function isSame(stored: Stored<Document>, { position, fields }: FoldedDocument): boolean {
  if (stored.position !== position) return false
  let others = Object.keys(stored).length
  for (const name in fields) {
    const value = fields[name]
    if (value === undefined) continue
    if (stored[name] !== value && !isDeepStrictEqual(stored[name], value)) return false
    others--
  }
  // The id and the position.
  return others === 2
}

const positionOf = ({ stored, expected }: ViewDifference): number => expected?.position ?? stored?.position ?? 0

/**
 * Whether a document may contain events that no longer exist. Sums over days keep the amounts of removed events, and a
 * job keeps its settlement.
 */
function isOfCut({ name }: Projection, document: Stored<Document> | undefined, cut: CutHistory): boolean {
  const [orgId = ''] = document?.id.split('/') ?? []
  switch (name) {
    case 'dailyUse':
      return cut.removed.size > 0
    case 'organizationUse':
      return cut.removed.has(orgId)
    case 'usage':
      return cut.truncated.has(orgId)
    case 'jobs':
      return cut.truncated.has(String(document?.orgId))
    default:
      return false
  }
}
