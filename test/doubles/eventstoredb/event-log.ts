import { randomUUID } from 'node:crypto'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { Notifier } from '#packages/adapters/notifier.ts'
import { deletedBefore, endOfTime, keepsEverything, type Retention, retentionOf } from './retention.ts'

/** An event as a client proposes it. */
export type ProposedEvent = {
  id: string
  type: string
  contentType: string
  data: Uint8Array
  metadata: Uint8Array
}

export type LoggedEvent = ProposedEvent & {
  stream: string
  /** A decimal number, because the revision of a tombstone exceeds what JavaScript counts exactly. */
  revision: string
  position: number
  /** Milliseconds since 1970. */
  created: number
}

/** The state of a stream. */
export type StreamState = {
  /** Revision of the last event that was ever appended; -1 if there is none. */
  last: number
  /** The first revision that can be read. */
  first: number
  state: 'missing' | 'live' | 'deleted' | 'tombstoned'
}

/** The stored revision of a tombstone: no event has revision -1. */
const tombstoneRevision = -1

const schema = `
CREATE TABLE IF NOT EXISTS streams (
  name TEXT PRIMARY KEY, last INTEGER, tombstoned INTEGER, truncateBefore REAL, maxCount INTEGER, maxAge INTEGER
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS scavenged (before INTEGER);
CREATE TABLE IF NOT EXISTS events (
  position INTEGER PRIMARY KEY, stream TEXT, revision INTEGER, id TEXT, type TEXT, content_type TEXT,
  data BLOB, metadata BLOB, created INTEGER, UNIQUE (stream, revision)
);
`
const columns = 'position, stream, revision, id, type, content_type, data, metadata, created'
type Row = [number, string, number, string, string, string, Uint8Array, Uint8Array, number]

function eventOf([position, stream, revision, id, type, contentType, data, metadata, created]: Row): LoggedEvent {
  const text = revision === tombstoneRevision ? endOfTime : String(revision)
  return { position, stream, revision: text, id, type, contentType, data, metadata, created }
}

type StreamRow = Retention & { last: number; tombstoned: number }
const noStream: StreamRow = { last: -1, tombstoned: 0, ...keepsEverything }

/** Bytes of the log in one chunk. A scavenge closes the last chunk, and the next event begins another. */
const chunkBytes = 268_435_456

/** The events that the real server has in a new database. */
const scavengesMetadata = { $maxAge: 2592000, $acl: { $r: '$ops', $w: [], $d: [], $mr: [], $mw: [] } }
const firstPosition = 548

const json = (value: string): Uint8Array => Buffer.from(value)

const systemEvent = (type: string, data: string): ProposedEvent => ({
  id: randomUUID(),
  type,
  contentType: 'application/json',
  data: json(data),
  metadata: new Uint8Array(),
})

/** The log: one SQLite file. Every transaction is on disk before it is answered. */
export class EventLog implements Disposable {
  /** Notified after each write. */
  readonly appended = new Notifier()
  readonly #database: DatabaseSync
  readonly #stream: StatementSync
  readonly #keepStream: StatementSync
  readonly #insert: StatementSync
  readonly #ids: StatementSync
  readonly #one: StatementSync
  readonly #statements = new Map<string, StatementSync>()
  /** Records before this position may have been removed. */
  #scavengedBefore: number
  /** Position of the next event. As in the real log, it grows by the size of each event. */
  #end: number

  constructor(path: string) {
    this.#database = new DatabaseSync(path, { timeout: 5000 })
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    this.#database.exec(schema)
    this.#stream = this.#database.prepare('SELECT * FROM streams WHERE name = ?')
    this.#keepStream = this.#database.prepare('INSERT OR REPLACE INTO streams VALUES (?, ?, ?, ?, ?, ?)')
    this.#insert = this.#database.prepare(`INSERT INTO events (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
    this.#ids = this.#database.prepare(
      'SELECT id, position FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?',
    )
    this.#one = this.#database.prepare('SELECT 1 FROM events WHERE position = ?')
    const last = this.#database.prepare('SELECT max(position) AS position FROM events').get()?.position
    this.#scavengedBefore = Number(this.#database.prepare('SELECT max(before) AS before FROM scavenged').get()?.before)
    this.#end = typeof last === 'number' ? Math.max(last + 200, this.#scavengedBefore) : firstPosition
    if (last === null) this.write('$$$scavenges', [systemEvent('$metadata', JSON.stringify(scavengesMetadata))])
  }

  /** Runs the changes of many callers in one transaction: one fsync for all of them. */
  transaction(changes: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      changes()
      this.#database.exec('COMMIT')
    } catch (error) {
      this.#database.exec('ROLLBACK')
      throw error
    }
    this.appended.notify()
  }

  stream(name: string): StreamState {
    const row = this.#row(name)
    const { last, tombstoned, truncateBefore } = row
    // Only the newest metadata count.
    const maxCount = name.startsWith('$$') ? 1 : row.maxCount
    if (tombstoned) return { last, first: 0, state: 'tombstoned' }
    if (last < 0) return { last, first: 0, state: 'missing' }
    if (truncateBefore >= deletedBefore) return { last, first: last + 1, state: 'deleted' }
    const first = Math.max(truncateBefore, maxCount === null ? 0 : last - maxCount + 1, this.#tooOld(name, row))
    return { last, first, state: 'live' }
  }

  #row(name: string): StreamRow {
    return (this.#stream.get(name) as StreamRow | undefined) ?? noStream
  }

  #keep(name: string, row: StreamRow): void {
    const { last, tombstoned, truncateBefore, maxCount, maxAge } = row
    this.#keepStream.run(name, last, tombstoned, truncateBefore, maxCount, maxAge)
  }

  /** The first revision of a stream that is young enough to be read. */
  #tooOld(name: string, { last, maxAge }: StreamRow): number {
    if (maxAge === null) return 0
    const [oldest] = this.#read(
      'WHERE stream = ? AND created >= ? AND revision >= 0 ORDER BY revision LIMIT 1',
      name,
      Date.now() - maxAge * 1000,
    )
    return oldest === undefined ? last + 1 : Number(oldest.revision)
  }

  /** Ids and positions of up to `count` events of a stream, from a revision on. */
  ids(stream: string, from: number, count: number): { id: string; position: number }[] {
    return this.#ids.all(stream, from, count) as { id: string; position: number }[]
  }

  /** Appends after the last event. @returns the position of the last one written */
  write(stream: string, events: readonly ProposedEvent[]): number {
    const { state } = this.stream(stream)
    const row = this.#row(stream)
    let position = this.#end
    events.forEach((event, index) => {
      position = this.#put(stream, row.last + 1 + index, event)
    })
    if (events.length === 0) this.#end += 95
    else this.#keep(stream, { ...row, last: row.last + events.length })
    const newest = events.at(-1)
    if (newest !== undefined && stream.startsWith('$$')) {
      const owner = stream.slice(2)
      this.#keep(owner, { ...this.#row(owner), ...retentionOf(newest.data) })
    }
    // When a deleted stream is written again, its metadata name the revision from which it can be read.
    if (state === 'deleted' && events.length > 0) this.#truncate(stream, String(row.last + 1))
    return position
  }

  #put(stream: string, revision: number, event: ProposedEvent): number {
    const position = this.#end
    const { id, type, contentType, data, metadata } = event
    this.#insert.run(position, stream, revision, id, type, contentType, data, metadata, Date.now())
    this.#end += 96 + Buffer.byteLength(stream) + data.length + metadata.length
    return position
  }

  #truncate(stream: string, before: string): number {
    return this.write(`$$${stream}`, [systemEvent('$metadata', `{"$tb":${before}}`)])
  }

  /** Hides the events of a stream. New events may be written after them. */
  delete(stream: string): number {
    return this.#truncate(stream, endOfTime)
  }

  /** Ends a stream for ever. Its events stay in the log until it is scavenged. */
  tombstone(stream: string): number {
    this.#keep(stream, { ...this.#row(stream), tombstoned: 1 })
    return this.#put(stream, tombstoneRevision, systemEvent('$streamDeleted', '{}'))
  }

  /**
   * Removes the events that can no longer be read, except the last of each stream, which only a tombstone removes. The
   * positions of the others do not change; the next event begins a new chunk.
   * @returns the id that the server gives to the scavenge
   */
  scavenge(): string {
    const id = randomUUID()
    this.write(`$scavenges-${id}`, [systemEvent('$scavengeStarted', JSON.stringify({ scavengeId: id }))])
    const before = Math.ceil(this.#end / chunkBytes) * chunkBytes
    const names = this.#database.prepare('SELECT name FROM streams').all() as { name: string }[]
    const erase = this.#database.prepare('DELETE FROM events WHERE stream = ? AND revision BETWEEN 0 AND ?')
    for (const { name } of names) {
      const { first, last, state } = this.stream(name)
      if (state === 'tombstoned') erase.run(name, last)
      else erase.run(name, Math.min(first, last) - 1)
    }
    this.#database.prepare('INSERT INTO scavenged VALUES (?)').run(before)
    this.#scavengedBefore = before
    this.#end = before
    this.write(`$scavenges-${id}`, [systemEvent('$scavengeCompleted', JSON.stringify({ scavengeId: id }))])
    return id
  }

  /** True if the record at this position may have been removed. */
  isScavenged(position: number): boolean {
    return position < this.#scavengedBefore
  }

  /** True if there is an event at this position. */
  stands(position: number): boolean {
    return this.#one.get(position) !== undefined
  }

  /** True if the real server reads from this position: an event is or was there, or the log ends before it. */
  canReadFrom(position: number): boolean {
    return position >= this.#end || this.isScavenged(position) || this.stands(position)
  }

  /** Up to `count` events of a stream between two revisions, both inclusive. */
  ofStream(stream: string, from: number, to: number, order: 'ASC' | 'DESC', count: number): LoggedEvent[] {
    const sql = `WHERE stream = ? AND revision BETWEEN ? AND ? ORDER BY revision ${order} LIMIT ?`
    return this.#read(sql, stream, Math.max(from, 0), to, count)
  }

  /** The tombstone of a stream. */
  tombstoneOf(stream: string): LoggedEvent | undefined {
    return this.#read(`WHERE stream = ? AND revision = ${tombstoneRevision}`, stream)[0]
  }

  /** Up to `count` events of the whole log from a position on, inclusive. */
  forwards(from: number, count: number): LoggedEvent[] {
    return this.#read('WHERE position >= ? ORDER BY position LIMIT ?', from, count)
  }

  /** Up to `count` events of the whole log before a position, newest first. */
  backwards(before: number, count: number): LoggedEvent[] {
    return this.#read('WHERE position < ? ORDER BY position DESC LIMIT ?', before, count)
  }

  #read(sql: string, ...values: (string | number)[]): LoggedEvent[] {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.#database.prepare(`SELECT ${columns} FROM events ${sql}`)
      ;(statement as StatementSync & { setReturnArrays(enabled: boolean): void }).setReturnArrays(true)
      this.#statements.set(sql, statement)
    }
    return (statement.all(...values) as unknown as Row[]).map(eventOf)
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }
}
