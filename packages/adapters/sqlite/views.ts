import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Clock } from '#packages/ports/clock.ts'
import { type Document, type GuardedWrite, indexedFields, type Stored, type Views } from '#packages/ports/views.ts'
import {
  applyWrites,
  assertIndexed,
  checkpointKey,
  documentKey,
  type HeldDocument,
  storedDocument,
} from '../documents.ts'
import { KeyedBell, readUntil, type Watched } from '../keyed-bell.ts'
import { CommitPoll } from './commit-poll.ts'

export type SqliteViewsOptions = {
  /** The file; its folder must exist. It may be deleted whenever nobody has it open. */
  path: string
  clock: Clock
  /** How long a write waits for another process's transaction, milliseconds. Default 1,000. */
  busyTimeoutMs?: number
  /** How often a wait looks for what other processes applied, milliseconds. Default 250. */
  pollMs?: number
}

const schema = `
CREATE TABLE IF NOT EXISTS documents (
  collection TEXT NOT NULL,
  id TEXT NOT NULL,
  position INTEGER NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (collection, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS checkpoints (projection TEXT PRIMARY KEY, position INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS notes (id TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID;
`

/** Names from `indexedFields`, never from a caller: they stand in the SQL, where an index of an expression needs them. */
const isField = (collection: string, field: string): string =>
  `collection = '${collection}' AND json_extract(json, '$.${field}')`

function indexes(): string[] {
  return Object.entries(indexedFields).flatMap(([collection, fields]) =>
    fields.map(
      (field) =>
        `CREATE INDEX IF NOT EXISTS ${collection}_by_${field} ON documents (json_extract(json, '$.${field}'))
         WHERE collection = '${collection}'`,
    ),
  )
}

/** Opens the file of the views, making it where it is missing. */
export async function openSqliteViews(options: SqliteViewsOptions): Promise<Views> {
  const database = new DatabaseSync(options.path, { timeout: options.busyTimeoutMs ?? 1000 })
  // NORMAL: a power cut may take the last transactions, but each whole, with its checkpoint; they are made again from
  // the events. So no request waits for this file's disk.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  database.exec(schema)
  for (const index of indexes()) database.exec(index)
  return new SqliteViews(database, options)
}

class SqliteViews implements Views {
  readonly #database: DatabaseSync
  readonly #clock: Clock
  readonly #changed = new KeyedBell()
  #closed = false
  readonly #poll: CommitPoll
  readonly #getDocument: StatementSync
  readonly #putDocument: StatementSync
  readonly #getCheckpoint: StatementSync
  readonly #putCheckpoint: StatementSync
  readonly #getNote: StatementSync
  readonly #putNote: StatementSync
  readonly #finders = new Map<string, StatementSync>()

  constructor(database: DatabaseSync, options: SqliteViewsOptions) {
    this.#database = database
    this.#clock = options.clock
    this.#poll = new CommitPoll(database, options.pollMs ?? 250, () => this.#changed.ringAll())
    this.#getDocument = database.prepare('SELECT position, json FROM documents WHERE collection = ? AND id = ?')
    this.#putDocument = database.prepare('REPLACE INTO documents (collection, id, position, json) VALUES (?, ?, ?, ?)')
    this.#getCheckpoint = database.prepare('SELECT position FROM checkpoints WHERE projection = ?')
    this.#putCheckpoint = database.prepare(
      `INSERT INTO checkpoints (projection, position) VALUES (?, ?)
       ON CONFLICT DO UPDATE SET position = max(position, excluded.position)`,
    )
    this.#getNote = database.prepare('SELECT json FROM notes WHERE id = ?')
    this.#putNote = database.prepare('REPLACE INTO notes (id, json) VALUES (?, ?)')
  }

  async apply(projection: string, writes: readonly GuardedWrite[], checkpoint: number): Promise<void> {
    const changed = this.#transaction(() => {
      const documents = applyWrites(writes, (collection, id) => this.#held(collection, id))
      for (const { collection, id, position, json } of documents) {
        this.#putDocument.run(collection, id, position, json)
      }
      this.#putCheckpoint.run(projection, checkpoint)
      return documents
    })
    for (const { collection, id } of changed) this.#changed.ring(documentKey(collection, id))
    this.#changed.ring(checkpointKey(projection))
  }

  #transaction<T>(work: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      this.#database.exec('COMMIT')
      return result
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
      throw error
    }
  }

  async checkpoint(projection: string): Promise<number> {
    return this.#checkpoint(projection)
  }

  async waitForCheckpoint(projection: string, position: number, timeoutMs: number): Promise<boolean> {
    const key = checkpointKey(projection)
    const read = (): boolean => this.#checkpoint(projection) >= position
    return this.#readUntil({ bell: this.#changed, key, read, enough: (passed) => passed }, timeoutMs)
  }

  async get<D extends Document>(collection: string, id: string): Promise<Stored<D> | undefined> {
    return this.#stored<D>(collection, id)
  }

  async getMany<D extends Document>(collection: string, ids: readonly string[]): Promise<Stored<D>[]> {
    return [...new Set(ids)].map((id) => this.#stored<D>(collection, id)).filter((document) => document !== undefined)
  }

  async find<D extends Document>(collection: string, field: string, value: string): Promise<Stored<D>[]> {
    assertIndexed(collection, field)
    const sql = `SELECT id, position, json FROM documents WHERE ${isField(collection, field)} = ?`
    const finder = this.#finders.get(sql) ?? this.#database.prepare(sql)
    this.#finders.set(sql, finder)
    return finder.all(value).map((row) => storedDocument<D>(String(row.id), heldOf(row)))
  }

  async waitForChange<D extends Document>(
    collection: string,
    id: string,
    position: number,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Stored<D> | undefined> {
    const key = documentKey(collection, id)
    const read = (): Stored<D> | undefined => this.#stored<D>(collection, id)
    const enough = (document: Stored<D> | undefined): boolean => document !== undefined && document.position > position
    return this.#readUntil({ bell: this.#changed, key, read, enough }, timeoutMs, signal)
  }

  async putNote(id: string, note: Document): Promise<void> {
    this.#putNote.run(id, JSON.stringify(note))
  }

  async getNotes<D extends Document>(ids: readonly string[]): Promise<Map<string, D>> {
    const found = new Map<string, D>()
    for (const id of ids) {
      const row = this.#getNote.get(id)
      if (row !== undefined) found.set(id, JSON.parse(String(row.json)))
    }
    return found
  }

  async #readUntil<T>(watched: Watched<T>, timeoutMs: number, signal?: AbortSignal): Promise<T> {
    this.#poll.start()
    try {
      return await readUntil(watched, {
        clock: this.#clock,
        timeoutMs,
        signal,
        closed: () => this.#closed,
      })
    } finally {
      if (!this.#changed.waitedFor) this.#poll.stop()
    }
  }

  #checkpoint(projection: string): number {
    return Number(this.#getCheckpoint.get(projection)?.position ?? 0)
  }

  #held(collection: string, id: string): HeldDocument | undefined {
    const row = this.#getDocument.get(collection, id)
    return row && heldOf(row)
  }

  #stored<D extends Document>(collection: string, id: string): Stored<D> | undefined {
    const held = this.#held(collection, id)
    return held && storedDocument<D>(id, held)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#changed.ringAll()
    this.#poll.stop()
    this.#database.close()
  }
}

function heldOf(row: Record<string, unknown>): HeldDocument {
  return { position: Number(row.position), json: String(row.json) }
}
