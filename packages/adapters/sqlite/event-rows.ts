import type { EncodedRecord } from '#packages/events/codec.ts'
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

/** @param at where the event begins among the values of a row. By index: replay makes one for each event of a history. */
export function rowOf(stream: string, values: readonly unknown[], at: number): StoredRow {
  return {
    stream,
    position: values[at] as number,
    revision: values[at + 1] as number,
    id: values[at + 2] as string,
    type: values[at + 3] as string,
    version: values[at + 4] as number,
    recordedAt: values[at + 5] as number,
    metadata: values[at + 6] as string,
    data: values[at + 7] as string | Uint8Array,
    previous: values[at + 8] as number,
    checksum: values[at + 9] as number,
  }
}

/** What `streams` says of a stream: which revisions there are to be, and the checksum of the last one. */
export type StreamFacts = { removed: boolean; first: number; last: number; head: number }

export type Damage = { problem: string; at: StoredRow | undefined; revision?: number }

/** A damaged record may hold a value of any type; whatever stands in the others' place changes the checksum. */
const holdsData = ({ data }: StoredRow): boolean => typeof data === 'string' || (data as unknown) instanceof Uint8Array

/** What is wrong with an event by itself; undefined where nothing is. */
export function rowProblem(row: StoredRow): string | undefined {
  if (!holdsData(row) || checksumOf(row, row.previous) !== row.checksum) return 'the event is not what was written'
  if (row.revision === 0 && row.previous !== noPredecessor) return 'the first event has a predecessor'
  return undefined
}

/** What is wrong with an event next to the one read before it, if that is of the same stream. */
export function linkProblem(row: StoredRow, before: StoredRow | undefined): string | undefined {
  if (before === undefined || before.stream !== row.stream || before.checksum === row.previous) return undefined
  return 'the event does not follow the one before it'
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
    const problem = rowProblem(row) ?? linkProblem(row, before)
    if (problem !== undefined) return { problem, at: row }
    before = row
  }
  const wanted = Math.max(0, end - begin + 1)
  if (rows.length < wanted) return { problem: 'an event is missing', at: undefined, revision: begin + rows.length }
  if (rows.length > wanted) return { problem: 'the event lies beyond the end of its stream', at: rows[wanted] }
  if (before?.revision === last && before.checksum !== head)
    return { problem: 'the event is not the last one that was written', at: before }
  return undefined
}
