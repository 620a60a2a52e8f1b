import { isDeepStrictEqual } from 'node:util'
import type { Projection } from '#packages/events/views/projection.ts'
import type { HistoryStore } from '../history-store.ts'
import { allStreams } from '../projection.ts'
import { type HistoryRange, readHistory } from '../read-history.ts'
import type { DocumentFold, FoldedDocument } from './document-fold.ts'
import { foldPasses } from './fold-documents.ts'

/** A document that differs between two projections. Undefined: one of them makes none. */
export type DocumentDifference = {
  collection: string
  id: string
  present: FoldedDocument['fields'] | undefined
  changed: FoldedDocument['fields'] | undefined
}

export type ProjectionComparison = {
  documents: number
  events: number
  differing: number
  /** The first ones, up to the limit. */
  differences: DocumentDifference[]
}

/** The most differences that are listed. */
const LISTED = 1000

/** `tell`: called with the events read so far, in all passes. */
export type CompareProjectionsOptions = Pick<HistoryRange, 'to'> & { tell: (events: number) => void }

/** Compares the documents that a changed projection makes of the whole history with those of the present one. */
export async function compareProjections(
  store: HistoryStore,
  rivals: { present: Projection; changed: Projection },
  { to, tell }: CompareProjectionsOptions,
): Promise<ProjectionComparison> {
  const found: ProjectionComparison = { documents: 0, events: 0, differing: 0, differences: [] }
  let read = 0
  for (const pass of foldPasses([rivals.present, rivals.changed])) {
    found.events = 0
    await readHistory(store, { prefixes: allStreams, to }, (events) => {
      pass.take(events)
      found.events += events.length
      read += events.length
      tell(read)
    })
    const [present, changed] = pass.folds as [DocumentFold, DocumentFold]
    const ids = new Set([...present.documents.keys(), ...changed.documents.keys()])
    found.documents += ids.size
    for (const id of ids) {
      const [one, other] = [present.documents.get(id)?.fields, changed.documents.get(id)?.fields]
      if (isDeepStrictEqual(one, other)) continue
      found.differing++
      if (found.differences.length < LISTED)
        found.differences.push({ collection: rivals.present.name, id, present: one, changed: other })
    }
  }
  return found
}
