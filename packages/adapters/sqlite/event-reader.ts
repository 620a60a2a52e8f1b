import { basename } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { decodedBytes } from '#packages/events/format/encoded-bytes.ts'
import { DamagedEventsError, type DamagePlace } from '#packages/ports/damaged-events.ts'
import type { FeedPage, PageLimits } from '../feed-batch.ts'
import { saysDamaged } from './damaged-file.ts'
import {
  arrays,
  type EventValues,
  eventColumns,
  linkProblem,
  rowOf,
  rowProblem,
  type StoredRow,
  streamDamage,
} from './event-rows.ts'
import { assertTables, frequentCategories } from './event-schema.ts'
import { removalsOf } from './removals.ts'

/** Identifies the events of a file: the random id it got when it was created, and its last position. */
export type EventOrigin = {
  id: string
  lastPosition: number
  /** The position after which an operator has accepted that events are missing. */
  acceptedEnd?: number | undefined
}

/** One of `of` parts of all streams, counted from 0. Readers of different parts share the work of reading the feed. */
export type StreamShare = { of: number; index: number }

/** The row of a stream with one of its events; nulls if it has none. */
type StreamValues = [removed: number, first: number, last: number, head: number, ...event: EventValues]

type FeedValues = [name: string | null, ...event: EventValues]

const noRow = { removed: false, first: 0, last: -1, head: 0 }

/** @param ofShare restricts the feed to a share of the streams; empty: all */
function statementsOf(database: DatabaseSync, ofShare: string) {
  const prepare = (sql: string): StatementSync => arrays(database, sql)
  // One statement, so that the stream's row and its events come from one snapshot.
  const ofStream = `SELECT s.removed, s.first, s.last, s.head, ${eventColumns} FROM streams s`
  return {
    forwards: prepare(
      `${ofStream} LEFT JOIN events e ON e.stream = s.id AND e.revision BETWEEN ? AND ?
       WHERE s.name = ? ORDER BY e.revision`,
    ),
    backwards: prepare(
      `${ofStream} LEFT JOIN events e ON e.stream = s.id AND e.revision < ?
       WHERE s.name = ? ORDER BY e.revision DESC LIMIT ?`,
    ),
    removed: prepare('SELECT 1 FROM streams WHERE name = ? AND removed = 1'),
    end: prepare('SELECT position, (SELECT max(position) FROM events) FROM ends'),
    categories: prepare('SELECT id, name FROM categories'),
    feed: prepare(
      `SELECT s.name, ${eventColumns} FROM events e LEFT JOIN streams s ON s.id = e.stream
       WHERE e.position > :after AND e.position <= :end ${ofShare} ORDER BY e.position LIMIT :count`,
    ),
    timeFrom: prepare('SELECT position, recorded_at FROM events WHERE position >= ? ORDER BY position LIMIT 1'),
  }
}

/**
 * Reads the event file through its own connection. Reads are short and synchronous. Each event is checked against its
 * checksum, its stream and its neighbours. If they do not match, throws DamagedEventsError.
 */
export class EventReader implements Disposable {
  readonly #database: DatabaseSync
  readonly #name: string
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #wereRemoved: (first: number, last: number) => boolean
  readonly #pages = new Map<string, StatementSync>()
  readonly #isPart: boolean
  readonly #ofShare: string

  /** @param share the feed shows only these streams @throws Error the file is of another format */
  constructor(path: string, busyTimeoutMs: number, share?: StreamShare) {
    this.#name = basename(path)
    this.#isPart = share !== undefined
    this.#ofShare = share === undefined ? '' : `AND e.stream % ${share.of} = ${share.index}`
    this.#database = openForReading(path, busyTimeoutMs)
    this.#sql = statementsOf(this.#database, this.#ofShare)
    this.#wereRemoved = removalsOf(this.#database)
  }

  #damaged(problem: string, place: DamagePlace, cause?: unknown): DamagedEventsError {
    return new DamagedEventsError(this.#name, problem, place, cause)
  }

  /** Runs a read. An SQLite error that means damage becomes a DamagedEventsError with the place. */
  #reading<T>(place: DamagePlace, read: () => T): T {
    try {
      return read()
    } catch (error) {
      throw this.#asDamage(error, place)
    }
  }

  #asDamage(error: unknown, place: DamagePlace): unknown {
    return saysDamaged(error) ? this.#damaged((error as Error).message, place, error) : error
  }

  /** The events from one revision to another, both included. */
  forwards(stream: string, from: number, to: number): StoredRow[] {
    return this.#ofStream(
      stream,
      () => this.#sql.forwards.all(from, to, stream),
      () => ({ from, to }),
    )
  }

  /** Up to `count` events before revision `before`, newest first. */
  backwards(stream: string, before: number, count: number): StoredRow[] {
    const rows = this.#ofStream(
      stream,
      () => this.#sql.backwards.all(before, stream, count).reverse(),
      ({ last }) => {
        const to = Math.min(before - 1, last)
        return { from: to - count + 1, to }
      },
    )
    return rows.reverse()
  }

  #ofStream(
    stream: string,
    read: () => unknown[],
    rangeOf: (facts: { last: number }) => { from: number; to: number },
  ): StoredRow[] {
    const found = this.#reading({ stream }, read) as StreamValues[]
    const [first] = found
    const facts = first && { removed: first[0] === 1, first: first[1], last: first[2], head: first[3] }
    const rows = found.filter((values) => values[4] !== null).map((values) => rowOf(stream, values, 4))
    const damage = streamDamage(rows, facts ?? noRow, rangeOf(facts ?? noRow))
    if (damage === undefined) return rows
    const { at, problem, revision } = damage
    throw this.#damaged(problem, { stream, revision: at?.revision ?? revision, position: at?.position, id: at?.id })
  }

  isRemoved(stream: string): boolean {
    return this.#reading({ stream }, () => this.#sql.removed.get(stream)) !== undefined
  }

  /** The id and end of the file. Positions of removed events count as well. */
  origin(): EventOrigin {
    const row = this.#reading({}, () => this.#database.prepare('SELECT id, accepted_end FROM origin').get())
    if (row === undefined) throw this.#damaged('the row that names it is missing', {})
    const acceptedEnd = row.accepted_end === null ? undefined : Number(row.accepted_end)
    return { id: String(row.id), lastPosition: this.end(), acceptedEnd }
  }

  /** The last position in the file, including other processes' events. */
  end(): number {
    const row = this.#reading({}, () => this.#sql.end.get()) as [number, number | null] | undefined
    const [end, last] = row ?? []
    if (typeof end !== 'number') throw this.#damaged('the row that says where it ends is missing', {})
    if ((last ?? 0) > end) throw this.#damaged(`it says that it ends at position ${end}, and has events after it`, {})
    return end
  }

  /** The checksum of the event at a position; undefined if there is none. */
  checksumAt(position: number): number | undefined {
    const row = this.#reading({ position }, () =>
      this.#database.prepare('SELECT checksum FROM events WHERE position = ?').get(position),
    )
    return row && Number(row.checksum)
  }

  /**
   * The position of the last event that was recorded at or before an instant; 0 if there is none. Found by bisection,
   * which assumes that recorded times never decrease.
   * @param instant milliseconds since 1970
   */
  positionAt(instant: number): number {
    let [from, to] = [1, this.end() + 1]
    while (from < to) {
      const middle = Math.floor((from + to) / 2)
      const found = this.#sql.timeFrom.get(middle) as [number, number] | undefined
      if (found === undefined || found[1] > instant) to = middle
      else from = found[0] + 1
    }
    return from - 1
  }

  /**
   * The events after a position, within the limits, up to the first damage.
   * @throws DamagedEventsError the file ends before this position
   */
  page(after: number, prefixes: readonly string[], limits: PageLimits): FeedPage {
    // Read first: later commits have greater positions, so all events up to this one are readable.
    const end = this.end()
    if (after > end) throw this.#damaged(`it ends at position ${end}, and was read beyond that before`, {})
    const { rows, isWhole } = this.#rows(after, end, prefixes, limits.events)
    const records: StoredRow[] = []
    let [seen, bytes, position] = [0, 0, after]
    let before: StoredRow | undefined
    try {
      for (const values of rows) {
        const record = this.#checked(values, before)
        before = record
        if (isWhole) this.#assertNoGap(position, record.position)
        seen++
        position = record.position
        if (!prefixes.some((prefix) => record.stream.startsWith(prefix))) continue
        records.push(record)
        bytes += decodedBytes(record)
        if (bytes >= limits.bytes) return { records, position, caughtUp: position === end }
      }
      if (seen < limits.events) {
        if (isWhole) this.#assertNoGap(position, end + 1)
        position = end
      }
    } catch (error) {
      return { records, position, caughtUp: false, error: this.#asDamage(error, { position: position + 1 }) }
    }
    return { records, position, caughtUp: position === end }
  }

  /** @param before the event read before this one; it is the predecessor if both have the same stream */
  #checked(values: FeedValues, before: StoredRow | undefined): StoredRow {
    const name = values[0]
    const row = rowOf(name ?? '', values, 1)
    const problem = name === null ? 'its stream is missing' : (rowProblem(row) ?? linkProblem(row, before))
    if (problem === undefined) return row
    const { revision, position, id } = row
    throw this.#damaged(problem, { stream: name ?? undefined, revision, position, id })
  }

  /** Checks that every position between two consecutive events was removed on purpose. */
  #assertNoGap(before: number, position: number): void {
    if (position === before + 1 || this.#wereRemoved(before + 1, position - 1)) return
    throw this.#damaged('an event is missing', { position: before + 1 })
  }

  /** `isWhole`: the rows include every event, whatever its prefix. */
  #rows(
    after: number,
    end: number,
    prefixes: readonly string[],
    count: number,
  ): { rows: Iterable<FeedValues>; isWhole: boolean } {
    if (end === after) return { rows: [], isWhole: false }
    const categories = this.#categoriesOf(prefixes)
    if (categories.length === 0) return { rows: [], isWhole: false }
    const isFrequent = categories.some((id) => id <= frequentCategories.length)
    const isWhole = isFrequent && !this.#isPart
    const statement = isFrequent ? this.#sql.feed : this.#pageOf(categories)
    return { rows: statement.iterate({ after, end, count }) as unknown as Iterable<FeedValues>, isWhole }
  }

  #categoriesOf(prefixes: readonly string[]): number[] {
    const all = this.#sql.categories.all() as unknown as [number, string][]
    const mayHold = (name: string) => prefixes.some((prefix) => name.startsWith(prefix) || prefix.startsWith(name))
    return all.filter(([, name]) => mayHold(name)).map(([id]) => id)
  }

  /**
   * Merges the categories' parts of the index. Each part is already in the order of positions, so no other rows are
   * read.
   */
  #pageOf(categories: readonly number[]): StatementSync {
    const key = categories.join()
    const known = this.#pages.get(key)
    if (known !== undefined) return known
    const parts = categories.map(
      (category) => `SELECT s.name, ${eventColumns} FROM events e LEFT JOIN streams s ON s.id = e.stream
        WHERE e.category = ${category} AND e.category > ${frequentCategories.length}
          AND e.position > :after AND e.position <= :end ${this.#ofShare}`,
    )
    const statement = arrays(this.#database, `${parts.join(' UNION ALL ')} ORDER BY 2 LIMIT :count`)
    this.#pages.set(key, statement)
    return statement
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }
}

function openForReading(path: string, timeout: number): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly: true, timeout })
  try {
    assertTables(database, path)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
