import type { Projection } from '#packages/events/views/projection.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { allDocuments, DocumentFold, type DocumentShare } from './document-fold.ts'

/** The approximate memory that documents may take at once, bytes. */
const MOST_BYTES = 256 * 1024 * 1024

/** At this number the shares are not halved again, even if one is too large. */
const MOST_SHARES = 1024

export type FoldOptions = {
  /** Default 256 MiB. */
  mostBytes?: number | undefined
}

/** One pass over the feed: the folds of a share of the documents, and the losses in the history that it saw. */
export class FoldPass {
  readonly folds: readonly DocumentFold[]
  readonly cut = new CutHistory()
  share: DocumentShare
  readonly #readers = new Map<string, readonly DocumentFold[]>()
  /** Shares that another pass folds. */
  readonly #others: DocumentShare[]
  readonly #mostBytes: number

  constructor(projections: readonly Projection[], share: DocumentShare, others: DocumentShare[], mostBytes: number) {
    this.folds = projections.map((projection) => new DocumentFold(projection, share))
    this.share = share
    this.#others = others
    this.#mostBytes = mostBytes
  }

  take(events: readonly StoredEvent[]): void {
    this.fold(events)
    while (this.share.of < MOST_SHARES && this.#bytes > this.#mostBytes) this.#halve()
  }

  /** Folds events without making the share smaller. */
  fold(events: readonly StoredEvent[]): void {
    for (const event of events) {
      this.cut.take(event)
      if (event.type === 'StreamsRemoved')
        for (const fold of this.folds) fold.remove(event.data.streams, event.position)
      for (const fold of this.#readersOf(event.stream)) fold.take(event)
    }
  }

  /** The folds that read a stream, by its category. */
  #readersOf(stream: string): readonly DocumentFold[] {
    const category = stream.slice(0, stream.indexOf('-') + 1)
    let readers = this.#readers.get(category)
    if (readers === undefined) {
      readers = this.folds.filter((fold) => fold.reads(category))
      this.#readers.set(category, readers)
    }
    return readers
  }

  get #bytes(): number {
    return this.folds.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  #halve(): void {
    const { of, index } = this.share
    this.share = { of: 2 * of, index }
    this.#others.push({ of: 2 * of, index: index + of })
    for (const fold of this.folds) fold.narrow(this.share)
  }
}

/**
 * The passes that fold the feed into documents by each of these projections. A pass must get all events before the next
 * one is requested. If the documents do not fit into memory, a pass continues with half of them and leaves the other
 * half to another pass.
 */
export function* foldPasses(
  projections: readonly Projection[],
  { mostBytes = MOST_BYTES }: FoldOptions = {},
): Generator<FoldPass, undefined> {
  const shares = [allDocuments]
  for (let share = shares.pop(); share !== undefined; share = shares.pop())
    yield new FoldPass(projections, share, shares, mostBytes)
}

/** The organizations that have lost events. */
export class CutHistory {
  /** Organizations with a truncated ledger. */
  readonly truncated = new Set<string>()
  readonly #named = new Set<string>()
  readonly #ledgers = new Set<string>()
  /** The organizations of debited jobs with no event in their own streams, by job. */
  readonly #jobless = new Map<string, string>()

  take({ type, stream, revision, metadata, data }: StoredEvent): void {
    const { orgId } = metadata
    if (type === 'StreamsRemoved') this.#named.add(orgId)
    if (type === 'CreditsDebited') this.#jobless.set(data.jobId, orgId)
    if (revision === 0 && stream.startsWith('job-')) this.#jobless.delete(stream.slice('job-'.length))
    if (!stream.startsWith('credits-') || this.#ledgers.has(stream)) return
    this.#ledgers.add(stream)
    if (revision > 0) this.truncated.add(orgId)
  }

  /** Organizations with removed streams. In the end retention also removes its own records of removals. */
  get removed(): ReadonlySet<string> {
    return new Set([...this.#named, ...this.truncated, ...this.#jobless.values()])
  }
}
