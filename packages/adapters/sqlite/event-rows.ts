import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { EncodedRecord } from '#packages/events/format/codec.ts'
import { checksumOf, noPredecessor } from './event-checksum.ts'

/** A statement that reads rows as arrays: an object of unknown shape costs more than the search itself. */
export function arrays(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql)
  statement.setReturnArrays(true)
  return statement
}

/** An event as the file stores it. */
export type StoredRow = EncodedRecord & { previous: number; checksum: number }

/** The selected columns of an event `e`. The name of its stream is known, or comes first. */
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

/** @param at the index at which the event begins in the row; by index, because replay calls this for each event */
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

/** The row of a stream in `streams`: its first and last revision, and the checksum of the last event. */
export type StreamFacts = { removed: boolean; first: number; last: number; head: number }

export type Damage = { problem: string; at: StoredRow | undefined; revision?: number }

/** A damaged record may hold values of any type. Wrong values in other columns change the checksum. */
const holdsData = ({ data }: StoredRow): boolean => typeof data === 'string' || (data as unknown) instanceof Uint8Array

/** The problem of a single event; undefined if it has none. */
export function rowProblem(row: StoredRow): string | undefined {
  if (!holdsData(row) || checksumOf(row, row.previous) !== row.checksum) return 'the event is not what was written'
  if (row.revision === 0 && row.previous !== noPredecessor) return 'the first event has a predecessor'
  return undefined
}

/** The problem between an event and the one read before it, if both have the same stream. */
export function linkProblem(row: StoredRow, before: StoredRow | undefined): string | undefined {
  if (before === undefined || before.stream !== row.stream || before.checksum === row.previous) return undefined
  return 'the event does not follow the one before it'
}

/**
 * The problem of a part of a stream, oldest first, that should have all events from revision `from` to `to`.
 * @returns undefined if there is none
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
