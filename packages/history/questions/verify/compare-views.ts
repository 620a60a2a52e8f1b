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

/** A document that is not what the events make of it. Undefined: it is not there, or should not be. */
export type ViewDifference = {
  collection: string
  id: string
  stored: Stored<Document> | undefined
  expected: Stored<Document> | undefined
}

export type ViewsComparison = {
  /** The position up to which the views were compared; undefined where they could not be. */
  position: number | undefined
  documents: number
  differing: number
  /** The one with the earliest event. */
  first: ViewDifference | undefined
  /** Documents that changed whenever they were looked at. */
  moving: number
  /** Documents that hold more than the events that are left: others were removed, or given up. */
  cut: number
}

/** How often documents that have moved on are looked at again. */
const ROUNDS = 5

/** Documents that are read at once by id. */
const PAGE = 500

type Looked = { fold: DocumentFold; id: string }

/**
 * Compares the stored views with a fresh replay of the events, while services may be at work: the feed is folded up to
 * where the views are, and documents that have moved on by then are looked at again at their newer position.
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
  /** The position that the views had reached when the pass began. */
  #until = 0

  constructor(store: HistoryStore, reader: ViewsReader, projections: readonly Projection[], options: FoldOptions = {}) {
    this.#store = store
    this.#reader = reader
    this.#passes = foldPasses(projections, options)
  }

  /** Begins the first pass, whose events are then given to `take`: all of the feed, up to where it is now or later. */
  async begin(): Promise<void> {
    const until = await this.#reader.checkpoint()
    if (until !== undefined) this.#next(until)
  }

  take(events: readonly StoredEvent[]): void {
    const isPast = (events.at(-1)?.position ?? 0) > this.#until
    this.#pass?.take(isPast ? events.filter(({ position }) => position <= this.#until) : events)
  }

  /** Compares what was folded. Where the documents were too many for one pass, it reads the feed again for the others. */
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

  /** @param until the folds have all events up to here */
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
      // They may have come since their place in the list was passed.
      for (const id of missing) open.push({ fold, id })
    }
    for (let round = 0; round < ROUNDS && open.length > 0; round++) {
      until = await this.#foldOn(pass, until)
      open = await this.#lookAgain(open, cut, until)
    }
    this.#result.moving += open.length
  }

  /** Brings the folds to where the views are now. */
  async #foldOn(pass: FoldPass, after: number): Promise<number> {
    const to = Math.max(after, (await this.#reader.checkpoint()) ?? after)
    if (to > after) await this.#readTo(to, (events) => pass.fold(events), after)
    return to
  }

  /** @returns those that have moved on once more */
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

  /** Compares one document. @returns false where the stored one has moved on */
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
    // Nearly always, and without a copy of the document.
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

/** Field by field; a field that is undefined is not stored. False also where only the inside of a field has such ones. */
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
 * Whether a document may hold more than the events that are left. Sums over days keep what was added by events that are
 * gone, and a job its settlement.
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
