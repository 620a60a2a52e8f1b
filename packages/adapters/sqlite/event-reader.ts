import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { EncodedRecord } from '../codec.ts'
import { decodedBytes } from '../encoded-bytes.ts'
import type { FeedPage, PageLimits } from '../feed-batch.ts'

const columns = 'e.position, s.name, e.revision, e.id, e.type, e.version, e.recorded_at, e.metadata, e.data'
type Row = [number, string, number, string, string, number, number, string, string | Uint8Array]

/** Missing in the types of Node's 24.3. */
type ReturnsArrays = { setReturnArrays(enabled: boolean): void }

/** Which events a file holds: the random id it got when it was made, and the last position it has given. */
export type EventOrigin = { id: string; lastPosition: number }

function recordOf(row: Row): EncodedRecord {
  const [position, stream, revision, id, type, version, recordedAt, metadata, data] = row
  return { position, stream, revision, id, type, version, recordedAt, metadata, data }
}

/** Reads the event file through a connection of its own. Its reads are short, and synchronous. */
export class EventReader implements Disposable {
  readonly #database: DatabaseSync
  readonly #forwards: StatementSync
  readonly #backwards: StatementSync
  readonly #end: StatementSync
  readonly #categories: StatementSync
  readonly #pages = new Map<string, StatementSync>()

  constructor(path: string, busyTimeoutMs: number) {
    this.#database = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs })
    const ofStream = `SELECT ${columns} FROM streams s JOIN events e ON e.stream = s.id WHERE s.name = ?`
    this.#forwards = this.#arrays(`${ofStream} AND e.revision BETWEEN ? AND ? ORDER BY e.revision`)
    this.#backwards = this.#arrays(`${ofStream} AND e.revision < ? ORDER BY e.revision DESC LIMIT ?`)
    this.#end = this.#arrays('SELECT coalesce(max(position), 0) FROM events')
    this.#categories = this.#arrays('SELECT id, name FROM categories')
  }

  #arrays(sql: string): StatementSync {
    const statement = this.#database.prepare(sql) as StatementSync & ReturnsArrays
    statement.setReturnArrays(true)
    return statement
  }

  /** The events from one revision to another, both included. */
  forwards(stream: string, from: number, to: number): EncodedRecord[] {
    return (this.#forwards.all(stream, from, to) as unknown as Row[]).map(recordOf)
  }

  /** Up to `count` events before revision `before`, newest first. */
  backwards(stream: string, before: number, count: number): EncodedRecord[] {
    return (this.#backwards.all(stream, before, count) as unknown as Row[]).map(recordOf)
  }

  /** Positions of removed events count as well. */
  origin(): EventOrigin {
    const id = this.#database.prepare('SELECT id FROM origin').get()?.id
    const last = this.#database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'").get()?.seq
    return { id: String(id), lastPosition: Number(last ?? 0) }
  }

  /** The last position that holds an event, whoever wrote it. */
  end(): number {
    return (this.#end.get() as unknown as [number])[0]
  }

  /** What lies after a position, no more than the limits allow. */
  page(after: number, prefixes: readonly string[], limits: PageLimits): FeedPage {
    // Read first: what commits later has greater positions, so everything up to this one is there to be read.
    const end = Math.max(after, this.end())
    const records: EncodedRecord[] = []
    let seen = 0
    let bytes = 0
    let position = after
    for (const row of this.#rows(after, end, prefixes, limits.events)) {
      const record = recordOf(row)
      seen++
      position = record.position
      if (!prefixes.some((prefix) => record.stream.startsWith(prefix))) continue
      records.push(record)
      bytes += decodedBytes(record)
      if (bytes >= limits.bytes) return { records, position, caughtUp: position === end }
    }
    if (seen < limits.events) position = end
    return { records, position, caughtUp: position === end }
  }

  #rows(after: number, end: number, prefixes: readonly string[], count: number): Iterable<Row> {
    const categories = this.#categoriesOf(prefixes)
    if (categories.length === 0 || end === after) return []
    const statement = this.#pageOf(categories)
    return statement.iterate({ after, end, count }) as unknown as Iterable<Row>
  }

  #categoriesOf(prefixes: readonly string[]): number[] {
    const all = this.#categories.all() as unknown as [number, string][]
    const mayHold = (name: string) => prefixes.some((prefix) => name.startsWith(prefix) || prefix.startsWith(name))
    return all.filter(([, name]) => mayHold(name)).map(([id]) => id)
  }

  /** Merges the categories' indexes, each already in the order of positions: nothing is sorted, nothing else read. */
  #pageOf(categories: readonly number[]): StatementSync {
    const key = categories.join()
    const known = this.#pages.get(key)
    if (known !== undefined) return known
    const parts = categories.map(
      (category) => `SELECT ${columns} FROM events e CROSS JOIN streams s ON s.id = e.stream
        WHERE e.category = ${category} AND e.position > :after AND e.position <= :end`,
    )
    const statement = this.#arrays(`${parts.join(' UNION ALL ')} ORDER BY 1 LIMIT :count`)
    this.#pages.set(key, statement)
    return statement
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }
}
