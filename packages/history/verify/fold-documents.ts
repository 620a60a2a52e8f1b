import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Projection } from '#packages/views/projection.ts'
import type { HistoryStore } from '../history-store.ts'
import { allStreams } from '../projection.ts'
import { type HistoryRange, readHistory } from '../read-history.ts'
import { allDocuments, DocumentFold, type DocumentShare } from './document-fold.ts'

/** What documents may take in memory at once, bytes, about. */
const MOST_BYTES = 256 * 1024 * 1024

/** A document that is too large alone is folded all the same. */
const MOST_SHARES = 1024

export type FoldOptions = {
  /** Default 256 MiB. */
  mostBytes?: number | undefined
  /** Called with the events read so far, in all passes. */
  tell?: ((events: number) => void) | undefined
}

/** One pass over the feed: the folds of a share of the documents, and what it saw. */
export type Folded = { folds: readonly DocumentFold[]; share: DocumentShare; cut: CutHistory }

/**
 * Folds the feed into documents by each of these projections. Where the documents are too many for the memory, it goes on
 * with half of them, and reads the feed again for the other half.
 * @param range of a pass, asked for at its beginning
 * @param take called at the end of each pass
 * @returns how many events the last pass has read
 */
export async function foldDocuments(
  store: HistoryStore,
  projections: readonly Projection[],
  { mostBytes = MOST_BYTES, tell }: FoldOptions,
  range: () => Promise<Pick<HistoryRange, 'to'>>,
  take: (folded: Folded) => Promise<void>,
): Promise<number> {
  const shares = [allDocuments]
  let [read, events] = [0, 0]
  for (let share = shares.pop(); share !== undefined; share = shares.pop()) {
    const folds = projections.map((projection) => new DocumentFold(projection, share as DocumentShare))
    const cut = new CutHistory()
    events = 0
    await readHistory(store, { prefixes: allStreams, ...(await range()) }, (batch) => {
      for (const event of batch) {
        cut.take(event)
        for (const fold of folds) fold.take(event)
      }
      while (folds.reduce((sum, { bytes }) => sum + bytes, 0) > mostBytes) {
        const { of, index }: DocumentShare = share as DocumentShare
        if (of >= MOST_SHARES) break
        share = { of: 2 * of, index }
        shares.push({ of: 2 * of, index: index + of })
        for (const fold of folds) fold.narrow(share)
      }
      events += batch.length
      read += batch.length
      tell?.(read)
    })
    await take({ folds, share, cut })
  }
  return events
}

/** Which organizations have lost events. */
export class CutHistory {
  /** Those whose ledger has lost its beginning. */
  readonly truncated = new Set<string>()
  readonly #named = new Set<string>()
  readonly #ledgers = new Set<string>()
  /** The organizations of jobs that were debited and of whose streams nothing was read, by job. */
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

  /** Those of which streams were removed. Retention removes what it has recorded of that in the end. */
  get removed(): ReadonlySet<string> {
    return new Set([...this.#named, ...this.truncated, ...this.#jobless.values()])
  }
}
