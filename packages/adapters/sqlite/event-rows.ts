import type { EncodedRecord } from '../codec.ts'
import { checksumOf, noPredecessor } from './event-checksum.ts'

/** An event as the file holds it. */
export type StoredRow = EncodedRecord & { previous: number; checksum: number }

/** What is selected of an event `e`; its stream's name is known, or comes first. */
export const eventColumns =
  'e.position, e.revision, e.id, e.type, e.version, e.recorded_at, e.metadata, e.data, e.previous, e.checksum'

export type EventValues = [
  position: number,
  revision: number,
  id: string,
  type: string,
  version: number,
  recordedAt: number,
  metadata: string,
  data: string | Uint8Array,
  previous: number,
  checksum: number,
]

export function rowOf(stream: string, values: EventValues): StoredRow {
  const [position, revision, id, type, version, recordedAt, metadata, data, previous, checksum] = values
  return { stream, position, revision, id, type, version, recordedAt, metadata, data, previous, checksum }
}

/** What `streams` says of a stream: which revisions there are to be, and the checksum of the last one. */
export type StreamFacts = { removed: boolean; first: number; last: number; head: number }

export type Damage = { problem: string; at: StoredRow | undefined; revision?: number }

/** What is wrong with an event by itself; undefined where nothing is. */
export function rowProblem(row: StoredRow): string | undefined {
  if (checksumOf(row, row.previous) !== row.checksum) return 'the event is not what was written'
  if (row.revision === 0 && row.previous !== noPredecessor) return 'the first event has a predecessor'
  return undefined
}

/**
 * What is wrong with a piece of a stream, oldest first, that is to be all there is from revision `from` to `to`.
 * @returns undefined where nothing is
 */
export function streamDamage(
  rows: readonly StoredRow[],
  { removed, first, last, head }: StreamFacts,
  { from, to }: { from: number; to: number },
): Damage | undefined {
  const [begin, end] = [Math.max(from, first), Math.min(to, last)]
  if (removed && rows.length > 0) return { problem: 'the stream was removed, and has events', at: rows[0] }
  let before: StoredRow | undefined
  for (const [index, row] of rows.entries()) {
    const revision = begin + index
    if (row.revision !== revision) return { problem: 'an event is missing', at: undefined, revision }
    const problem = rowProblem(row)
    if (problem !== undefined) return { problem, at: row }
    if (before !== undefined && row.previous !== before.checksum)
      return { problem: 'the event does not follow the one before it', at: row }
    before = row
  }
  const wanted = Math.max(0, end - begin + 1)
  if (rows.length < wanted) return { problem: 'an event is missing', at: undefined, revision: begin + rows.length }
  if (rows.length > wanted) return { problem: 'the event lies beyond the end of its stream', at: rows[wanted] }
  if (before?.revision === last && before.checksum !== head)
    return { problem: 'the event is not the last one that was written', at: before }
  return undefined
}
