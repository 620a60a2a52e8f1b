import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Clock } from '#packages/ports/clock.ts'
import type { Document, GuardedWrite, Stored, Views } from '#packages/ports/views.ts'
import { assertIndexed, checkpointKey, documentKey, type HeldDocument, storedDocument } from '../documents.ts'
import { KeyedBell, readUntil, type Watched } from '../keyed-bell.ts'
import { CommitPoll } from './commit-poll.ts'
import type { EventOrigin } from './event-reader.ts'
import { isField, openViewsFile, type ViewsLog } from './views-file.ts'

export type SqliteViewsOptions = {
  /** The file; its folder must exist. It may be deleted whenever nobody has it open. */
  path: string
  clock: Clock
  /** The events that the views are made from; views of any others are emptied. Without it they stay as they are. */
  origin?: EventOrigin
  /** Warned when the views are to be made again. */
  log?: ViewsLog
  /** How long a write waits for another process's transaction, milliseconds. Default 1,000. */
  busyTimeoutMs?: number
  /** How often a wait looks for what other processes applied, milliseconds. Default 250. */
  pollMs?: number
}

/** Opens the file of the views, making it where it is missing; wrong or damaged views are made again. */
export async function openSqliteViews(options: SqliteViewsOptions): Promise<Views> {
  const { path, busyTimeoutMs = 1000, origin, log } = options
  return new SqliteViews(openViewsFile({ path, busyTimeoutMs, origin, log }), options)
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
    this.#putDocument = database.prepare(
      `INSERT INTO documents (collection, id, position, json) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET position = excluded.position, json = excluded.json
       WHERE excluded.position > documents.position`,
    )
    this.#getCheckpoint = database.prepare('SELECT position FROM checkpoints WHERE projection = ?')
    this.#putCheckpoint = database.prepare(
      `INSERT INTO checkpoints (projection, position) VALUES (?, ?)
       ON CONFLICT DO UPDATE SET position = max(position, excluded.position)`,
    )
    this.#getNote = database.prepare('SELECT json FROM notes WHERE id = ?')
    this.#putNote = database.prepare('REPLACE INTO notes (id, json) VALUES (?, ?)')
  }

  async apply(projections: readonly string[], writes: readonly GuardedWrite[], checkpoint: number): Promise<void> {
    this.#transaction(() => {
      for (const { collection, id, position, fields } of writes)
        this.#putDocument.run(collection, id, position, JSON.stringify(fields))
      for (const projection of projections) this.#putCheckpoint.run(projection, checkpoint)
    })
    for (const { collection, id } of writes) this.#changed.ring(documentKey(collection, id))
    for (const projection of projections) this.#changed.ring(checkpointKey(projection))
  }

  #transaction(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      work()
      this.#database.exec('COMMIT')
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
