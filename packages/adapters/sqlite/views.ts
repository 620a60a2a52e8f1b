import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Clock } from '#packages/ports/clock.ts'
import {
  type Document,
  type GuardedWrite,
  indexedFields,
  type PageQuestion,
  type RebuildableViews,
  type Stored,
  ViewsReplacedError,
} from '#packages/ports/views.ts'
import {
  assertIndexed,
  assertPageIndex,
  checkpointKey,
  documentKey,
  type HeldDocument,
  heldFields,
  listedDocument,
  storedDocument,
} from '../documents.ts'
import { KeyedBell, readUntil, type Watched } from '../keyed-bell.ts'
import { CommitPoll } from './commit-poll.ts'
import type { EventOrigin } from './event-reader.ts'
import { pageColumns, pageQuery, pageValues } from './page-query.ts'
import { isField, openViewsFile, type ViewsLog } from './views-file.ts'
import { liveTables, NextTables, SqliteRebuild, type ViewsTables } from './views-rebuild.ts'

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
}

/** Opens the file of the views, making it where it is missing; wrong or damaged views are made again. */
export async function openSqliteViews(options: SqliteViewsOptions): Promise<RebuildableViews> {
  return new SqliteViews(openFile(options), options, liveTables)
}

function openFile({ path, busyTimeoutMs = 1000, origin, log }: SqliteViewsOptions): DatabaseSync {
  return openViewsFile({ path, busyTimeoutMs, origin, log })
}

class SqliteViews implements RebuildableViews {
  readonly #database: DatabaseSync
  readonly #options: SqliteViewsOptions
  readonly #clock: Clock
  readonly #changed = new KeyedBell()
  #closed = false
  readonly #poll: CommitPoll
  #statements: Statements
  readonly #finders = new Map<string, StatementSync>()
  /** The lineage that the projections here go on with. */
  #begun: unknown

  constructor(database: DatabaseSync, options: SqliteViewsOptions, tables: ViewsTables) {
    this.#database = database
    this.#options = options
    this.#clock = options.clock
    this.#poll = new CommitPoll(database, () => this.#changed.ringAll())
    this.#statements = prepare(database, tables)
  }

  async begin(projections: readonly string[]): Promise<number> {
    this.#begun = this.#lineage()
    return Math.min(...projections.map((projection) => this.#checkpoint(projection)))
  }

  #lineage(): unknown {
    return this.#statements.getLineage.get()?.lineage
  }

  /** Inside a transaction: what was begun is still what these tables hold. */
  #assertLineage(projections: readonly string[]): void {
    if (this.#begun === undefined || !projections.some((projection) => Object.hasOwn(indexedFields, projection))) return
    if (this.#lineage() !== this.#begun) throw new ViewsReplacedError()
  }

  async apply(projections: readonly string[], writes: readonly GuardedWrite[], checkpoint: number): Promise<void> {
    const { putDocument, putCheckpoint } = this.#statements
    this.#transaction(() => {
      this.#assertLineage(projections)
      for (const { collection, id, position, fields } of writes) {
        const { json, large } = heldFields(collection, fields)
        putDocument.run(collection, id, position, json, ...pageValues(fields), large)
      }
      for (const projection of projections) putCheckpoint.run(projection, checkpoint)
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
    const sql = `SELECT id, position, json FROM ${this.#statements.documents} WHERE ${isField(collection, field)} = ?`
    return this.#found<D>(collection, sql, [value])
  }

  async page<D extends Document>(collection: string, question: PageQuestion): Promise<Stored<D>[]> {
    assertPageIndex(collection, question)
    const { sql, parameters } = pageQuery(this.#statements.documents, collection, question)
    return this.#found<D>(collection, sql, parameters)
  }

  #found<D extends Document>(collection: string, sql: string, parameters: readonly (string | number)[]): Stored<D>[] {
    const finder = this.#finders.get(sql) ?? this.#database.prepare(sql)
    this.#finders.set(sql, finder)
    return finder.all(...parameters).map((row) => listedDocument<D>(collection, String(row.id), heldOf(row)))
  }

  async waitForChange<D extends Document>(
    collection: string,
    id: string,
    position: number,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Stored<D> | undefined> {
    const key = documentKey(collection, id)
    // Looked at whenever anything is committed: only the position, because the document may be large.
    const read = (): number => Number(this.#statements.getPosition.get(collection, id)?.position ?? 0)
    const enough = (found: number): boolean => found > position
    await this.#readUntil({ bell: this.#changed, key, read, enough }, timeoutMs, signal)
    return this.#stored<D>(collection, id)
  }

  async putNote(id: string, note: Document): Promise<void> {
    this.#statements.putNote.run(id, JSON.stringify(note))
  }

  async getNotes<D extends Document>(ids: readonly string[]): Promise<Map<string, D>> {
    const found = new Map<string, D>()
    for (const id of ids) {
      const row = this.#statements.getNote.get(id)
      if (row !== undefined) found.set(id, JSON.parse(String(row.json)))
    }
    return found
  }

  async rebuild(): Promise<SqliteRebuild> {
    // A connection of its own: what is done there wakes nobody here but by the poll, as if another process did it.
    const database = openFile({ path: this.#options.path, clock: this.#clock })
    const next = new NextTables(database)
    const views = new SqliteViews(database, this.#options, next.tables)
    return new SqliteRebuild(views, next, () => views.#goLive())
  }

  /** Its tables have become the live ones. */
  #goLive(): void {
    this.#statements = prepare(this.#database, liveTables)
    this.#begun = this.#lineage()
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
    return Number(this.#statements.getCheckpoint.get(projection)?.position ?? 0)
  }

  #held(collection: string, id: string): HeldDocument | undefined {
    const row = this.#statements.getDocument.get(collection, id)
    return row && heldOf(row)
  }

  #stored<D extends Document>(collection: string, id: string): Stored<D> | undefined {
    const held = this.#held(collection, id)
    return held && storedDocument<D>(collection, id, held)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#changed.ringAll()
    this.#poll.stop()
    this.#database.close()
  }
}

const setPageColumns = pageColumns.map((column) => `${column} = excluded.${column}`).join(', ')

type Statements = ReturnType<typeof prepare>

function prepare(database: DatabaseSync, { documents, checkpoints, lineage }: ViewsTables) {
  return {
    documents,
    getLineage: database.prepare(lineage),
    getDocument: database.prepare(`SELECT position, json, large FROM ${documents} WHERE collection = ? AND id = ?`),
    getPosition: database.prepare(`SELECT position FROM ${documents} WHERE collection = ? AND id = ?`),
    putDocument: database.prepare(
      `INSERT INTO ${documents} (collection, id, position, json, ${pageColumns.join(', ')}, large)
       VALUES (?, ?, ?, ?, ${pageColumns.map(() => '?').join(', ')}, ?)
       ON CONFLICT DO UPDATE SET position = excluded.position, json = excluded.json, ${setPageColumns},
         large = excluded.large
       WHERE excluded.position > position`,
    ),
    getCheckpoint: database.prepare(`SELECT position FROM ${checkpoints} WHERE projection = ?`),
    putCheckpoint: database.prepare(
      `INSERT INTO ${checkpoints} (projection, position) VALUES (?, ?)
       ON CONFLICT DO UPDATE SET position = max(position, excluded.position)`,
    ),
    getNote: database.prepare('SELECT json FROM notes WHERE id = ?'),
    putNote: database.prepare('REPLACE INTO notes (id, json) VALUES (?, ?)'),
  }
}

function heldOf(row: Record<string, unknown>): HeldDocument {
  return { position: Number(row.position), json: String(row.json), large: (row.large ?? null) as string | null }
}
