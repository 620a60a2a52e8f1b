import { basename } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import type { DamagePlace } from '#packages/ports/damaged-events.ts'
import { saysDamaged } from './damaged-file.ts'
import { arrays, type EventValues, eventColumns, rowOf, rowProblem, type StoredRow } from './event-rows.ts'
import { assertTables, categoryOf } from './event-schema.ts'
import { removalsOf } from './removals.ts'

/** A part of the file that differs from what was written. */
export type Finding = DamagePlace & { file: string; problem: string }

/** The progress of a comparison: `done` of `of` rows. */
export type Progress = { events: number; done: number; of: number }

/** How many rows to compare in one transaction. */
const sliceRows = 500

/** How many last checksums of streams to remember, so that the next event need not look its predecessor up. */
const maxHeads = 50_000

const busyTimeoutMs = 1000

/** A walk over one table in key order, a slice at a time. */
type Walk = { name: string; rows: string; slice(): boolean }

type EventRow = [
  stream: number,
  category: number,
  name: string | null,
  ofName: number,
  removed: number,
  first: number,
  last: number,
  ...event: EventValues,
]

/** The index of the event's first column in such a row. */
const EVENT_AT = 7

/** The last column is the checksum of the last event. */
type StreamRow = [
  id: number,
  name: string,
  category: string | null,
  removed: number,
  last: number,
  head: number,
  checksum: number | null,
]

/**
 * Compares the whole event file in three ways: each table with each of its indexes, by SQLite's own check; each event
 * with its checksum and its predecessor; and each stored end with the last event. It only reads, and may take any time.
 * Events appended meanwhile are left to the next comparison.
 */
export class FileComparison implements Disposable {
  readonly findings: Finding[] = []
  readonly #database: DatabaseSync
  readonly #file: string
  readonly #walks: Walk[]
  readonly #rows: number[]
  readonly #heads = new LRUCache<number, { revision: number; checksum: number }>({ max: maxHeads })
  readonly #wereRemoved: (first: number, last: number) => boolean
  /** The position of the last event to compare. */
  readonly end: number
  readonly #take: (row: StoredRow) => void
  #walk = 0
  #events = 0
  #done = 0

  /**
   * @param take called with each undamaged event, in the order of positions
   * @throws Error the file does not exist, or is of another format
   */
  constructor(path: string, take: (row: StoredRow) => void = () => {}) {
    this.#take = take
    this.#file = basename(path)
    this.#database = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs })
    try {
      assertTables(this.#database, path)
      this.#wereRemoved = removalsOf(this.#database)
      this.end = this.#findEnd()
      this.#walks = [this.#structureWalk(), this.#eventWalk(), this.#streamWalk()]
      this.#rows = this.#walks.map(({ rows }) => this.#count(rows))
    } catch (error) {
      this.#database.close()
      throw error
    }
  }

  #findEnd(): number {
    const ends = this.#database.prepare('SELECT position, (SELECT max(position) FROM events) AS last FROM ends').get()
    const [end, last] = [Number(ends?.position ?? 0), Number(ends?.last ?? 0)]
    if (ends === undefined) this.#found('the row that says where it ends is missing')
    if (last > end) this.#found(`it says that it ends at position ${end}, and has events after it`)
    return Math.max(end, last)
  }

  /** Estimated by the last key, which costs nothing. */
  #count(sql: string): number {
    try {
      return Number(Object.values(this.#database.prepare(sql).get() ?? {})[0] ?? 0)
    } catch (error) {
      if (!saysDamaged(error)) throw error
      return 0
    }
  }

  get progress(): Progress {
    const before = this.#rows.slice(0, this.#walk).reduce((sum, rows) => sum + rows, 0)
    const of = this.#rows.reduce((sum, rows) => sum + rows, 0)
    return { events: this.#events, done: Math.min(of, before + this.#done), of }
  }

  /** Compares the next slice. @returns whether anything is left */
  next(): boolean {
    const walk = this.#walks[this.#walk]
    if (walk === undefined) return false
    this.#database.exec('BEGIN')
    let isLeft = false
    try {
      isLeft = walk.slice()
    } catch (error) {
      if (!saysDamaged(error)) throw error
      this.#found(`${walk.name}: ${(error as Error).message}`)
    } finally {
      this.#database.exec('ROLLBACK')
    }
    this.#done += sliceRows
    if (!isLeft) {
      this.#walk++
      this.#done = 0
    }
    return this.#walk < this.#walks.length
  }

  #found(problem: string, place: DamagePlace = {}): void {
    this.findings.push({ file: this.#file, problem, ...place })
  }

  /**
   * SQLite's own check of pages, tables and indexes. It is one transaction, so events appended meanwhile stay in the
   * log.
   */
  #structureWalk(): Walk {
    const slice = (): boolean => {
      for (const { integrity_check: problem } of this.#database.prepare('PRAGMA integrity_check').iterate())
        if (problem !== 'ok') this.#found(String(problem).split('\n').at(-1) ?? '')
      return false
    }
    return { name: 'the structure of the file', rows: 'SELECT 0', slice }
  }

  /** Continues after an event that cannot be read. */
  #eventWalk(): Walk {
    const read = arrays(
      this.#database,
      `SELECT e.stream, e.category, s.name, s.category, s.removed, s.first, s.last, ${eventColumns}
       FROM events e LEFT JOIN streams s ON s.id = e.stream
       WHERE e.position > ? AND e.position <= ? ORDER BY e.position`,
    )
    let position = 0
    const slice = (): boolean => {
      const to = Math.min(position + sliceRows, this.end)
      try {
        for (const row of read.iterate(position, to) as unknown as Iterable<EventRow>) {
          this.#findMissing(position + 1, row[EVENT_AT])
          position = row[EVENT_AT] - 1
          this.#compareEvent(row)
          position = row[EVENT_AT]
        }
        this.#findMissing(position + 1, to + 1)
        position = to
      } catch (error) {
        if (!saysDamaged(error)) throw error
        position++
        this.#found((error as Error).message, { position })
      }
      return position < this.end
    }
    return { name: 'events', rows: 'SELECT position FROM ends', slice }
  }

  /** Finds positions in this range that hold no event and were not removed on purpose. */
  #findMissing(from: number, to: number): void {
    if (from === to || this.#wereRemoved(from, to - 1)) return
    for (let position = from; position < to; position++)
      if (!this.#wereRemoved(position, position)) this.#found('an event is missing', { position })
  }

  /** Compares an event with its checksum, its predecessor and its stream. */
  #compareEvent(values: EventRow): void {
    const row = rowOf(values[2] ?? '', values, EVENT_AT)
    this.#events++
    const problem = this.#eventProblem(row, values)
    const { stream, revision, position, id } = row
    if (problem === undefined) this.#take(row)
    else this.#found(problem, { stream, revision, position, id })
  }

  #eventProblem(row: StoredRow, [stream, category, name, ofName, removed, first, last]: EventRow): string | undefined {
    const problem = name === null ? 'its stream is missing' : rowProblem(row)
    if (problem !== undefined) return problem
    const { revision, previous, checksum } = row
    const follows = revision === first || this.#headOf(stream, revision - 1) === previous
    this.#heads.set(stream, { revision, checksum })
    if (category !== ofName) return 'the event is in the wrong category'
    if (removed === 1 || revision < first || revision > last) return 'the event lies outside of its stream'
    return follows ? undefined : 'the event does not follow the one before it'
  }

  /** The checksum of the event at this revision. */
  #headOf(stream: number, revision: number): unknown {
    const known = this.#heads.get(stream)
    if (known?.revision === revision) return known.checksum
    const find = this.#database.prepare('SELECT checksum FROM events WHERE stream = ? AND revision = ?')
    return find.get(stream, revision)?.checksum
  }

  /** Compares each stream with its category and its last event. */
  #streamWalk(): Walk {
    const page = arrays(
      this.#database,
      `SELECT s.id, s.name, c.name, s.removed, s.last, s.head, e.checksum
       FROM streams s LEFT JOIN categories c ON c.id = s.category
       LEFT JOIN events e ON e.stream = s.id AND e.revision = s.last
       WHERE s.id > ? ORDER BY s.id LIMIT ?`,
    )
    let after = 0
    const slice = (): boolean => {
      const rows = page.all(after, sliceRows) as unknown as StreamRow[]
      for (const [id, name, category, removed, last, head, checksum] of rows) {
        const stream = String(name)
        if (category !== categoryOf(stream)) this.#found('the stream is in the wrong category', { stream })
        if (removed !== 1 && last >= 0 && checksum !== head)
          this.#found('the last event of the stream is missing', { stream, revision: last })
        after = id
      }
      return rows.length === sliceRows
    }
    return { name: 'streams', rows: 'SELECT max(id) FROM streams', slice }
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }
}
