import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '#packages/ports/clock.ts'
import { allShards } from '#packages/ports/shards.ts'
import {
  type Document,
  type GuardedChange,
  type PageQuestion,
  type RebuildableViews,
  type Stored,
  type ViewsDefinition,
  ViewsLostError,
  ViewsReplacedError,
  ViewsUnreadableError,
  viewsProblem,
} from '#packages/ports/views.ts'
import {
  assertIndexed,
  assertPageIndex,
  checkpointKey,
  documentKey,
  listedDocument,
  storedDocument,
} from '../documents.ts'
import { KeyedNotifier, readUntil, type Watched } from '../keyed-notifier.ts'
import { atStart, differIn, leastOf } from '../shard-positions.ts'
import { firstCheckpoint, newestOf, nothingBegun, SeenViews, unappliedOf } from '../view-marks.ts'
import { CommitPoll } from './commit-poll.ts'
import { DamagedFileError, isDamage } from './damaged-file.ts'
import type { EventOrigin } from './event-reader.ts'
import { FileWatch } from './file-watch.ts'
import { pageQuery } from './page-query.ts'
import { inTransaction } from './transaction.ts'
import { liveTables, type ViewsTables } from './view-tables.ts'
import { ViewsCheck } from './views-check.ts'
import { isField, openViewsFile, setFileAside, type ViewsLog } from './views-file.ts'
import { NextTables, SqliteRebuild } from './views-rebuild.ts'
import { listedColumns, listedOf, ViewsRows } from './views-rows.ts'
import { waitBriefly, whenFree } from './when-free.ts'

export type SqliteViewsOptions = {
  /** The file; its folder must exist. It may be deleted at any moment. */
  path: string
  clock: Clock
  /** Views of another version are emptied. */
  definition: ViewsDefinition
  /** The events from which the views are made; views of other events are emptied. Without it they are kept. */
  origin?: EventOrigin
  /** Gets a warning when the views have to be made anew. */
  log?: ViewsLog
  /** How long the opening waits for another process's transaction, milliseconds. Default 1,000. */
  busyTimeoutMs?: number
}

/** Opens the file of the views, making it where it is missing. Wrong or damaged views are made anew. */
export async function openSqliteViews(options: SqliteViewsOptions): Promise<RebuildableViews> {
  const views = new SqliteViews(options)
  try {
    views.open()
    return views
  } catch (error) {
    await views[Symbol.asyncDispose]()
    throw error
  }
}

/** A connection to the file, for as long as the file is trusted. */
type Opened = { database: DatabaseSync; watch: FileWatch; check: ViewsCheck; poll: CommitPoll; rows: ViewsRows }

class SqliteViews implements RebuildableViews {
  readonly #options: SqliteViewsOptions
  readonly #clock: Clock
  readonly #definition: ViewsDefinition
  readonly #changed = new KeyedNotifier()
  readonly #seen: SeenViews
  #opened: Opened | undefined
  #closed = false
  /** The generation to which the projections here write. */
  #generation: string | undefined
  #begun = nothingBegun
  #interruptions = atStart
  /** The tables of these views while they are made beside the live ones. */
  readonly #next: NextTables | undefined

  constructor(options: SqliteViewsOptions, next?: { database: DatabaseSync; tables: NextTables }) {
    this.#options = options
    this.#clock = options.clock
    this.#definition = options.definition
    this.#seen = new SeenViews(Object.keys(options.definition.collections))
    this.#next = next?.tables
    if (next !== undefined) this.#opened = this.#connected(next.database, next.tables.tables)
  }

  /** Opens the file if it is not open. @throws Error the file cannot be opened or made */
  open(): Opened {
    if (this.#closed) throw new Error('the views are closed')
    if (this.#opened === undefined && this.#next !== undefined) throw new ViewsReplacedError()
    this.#opened ??= this.#connected(openViewsFile(this.#options), liveTables)
    return this.#opened
  }

  #connected(database: DatabaseSync, tables: ViewsTables): Opened {
    const poll = new CommitPoll(database, () => this.#changed.notifyAll())
    const watch = new FileWatch(this.#options.path, database)
    const check = new ViewsCheck(this.#options.path, (what) => this.#setAside(new DamagedFileError(what)))
    waitBriefly(database)
    return { database, watch, check, poll, rows: new ViewsRows(database, tables, this.#definition) }
  }

  /**
   * Runs work on the open file. A file that turns out to be damaged is set aside; the next call opens a new one.
   * @throws ViewsLostError it was damaged
   */
  #use<T>(work: (opened: Opened) => T): T {
    try {
      return work(this.open())
    } catch (error) {
      if (!isDamage(error)) throw error
      this.#setAside(error)
      throw new ViewsLostError('their file is damaged', { cause: error })
    }
  }

  #setAside(error: unknown): void {
    try {
      this.#close()
    } catch {
      // Closing a damaged file may fail; it is not used any more.
    }
    this.#generation = undefined
    if (this.#next === undefined) setFileAside(this.#options, error)
    this.#changed.notifyAll()
  }

  /** For `begin` and notes: where the file is damaged, the work is repeated on a new one. */
  #useAgain<T>(work: (opened: Opened) => T): T {
    try {
      return this.#use(work)
    } catch (error) {
      if (error instanceof ViewsLostError) return this.#use(work)
      throw error
    }
  }

  /** As `#use`, for a transaction. */
  #writing<T>(work: (opened: Opened) => T): Promise<T> {
    return whenFree(() => this.#use(work))
  }

  #writingAgain<T>(work: (opened: Opened) => T): Promise<T> {
    return whenFree(() => this.#useAgain(work))
  }

  async begin(projections: readonly string[], shards = allShards): Promise<number> {
    return this.#writingAgain(({ database, rows }) => {
      const what = this.#seen.problemOf(rows.stored(this.#begun.projections), this.#begun)
      inTransaction(database, () => {
        if (what !== undefined) rows.makeNew()
        for (const each of projections)
          if (rows.checkpoint(each) === undefined) rows.putCheckpoint(each, firstCheckpoint)
      })
      this.#begun = { projections, shards }
      this.#generation = rows.generation()
      this.#interruptions = rows.interruptions()
      const stored = rows.stored(projections)
      for (const [collection, mark] of stored.marks) this.#seen.noteMark(stored.generation, collection, mark)
      this.#seen.begin(stored, this.#begun)
      return Math.min(...rows.positions(projections).map((positions) => leastOf(positions, shards)))
    })
  }

  async apply(projections: readonly string[], changes: readonly GuardedChange[], checkpoint?: number): Promise<void> {
    const areRemoved = changes.some((change) => 'removes' in change)
    const changed = await this.#writing(({ database, rows, watch, check }) => {
      const keys = inTransaction(database, () => this.#apply(rows, projections, changes, checkpoint))
      watch.carryOver(areRemoved)
      if (areRemoved) check.removed()
      return keys
    })
    for (const key of changed) this.#changed.notify(key)
    for (const projection of projections) this.#changed.notify(checkpointKey(projection))
  }

  /** @returns the keys of the documents that may have changed */
  #apply(
    rows: ViewsRows,
    projections: readonly string[],
    changes: readonly GuardedChange[],
    checkpoint: number | undefined,
  ): string[] {
    const generation = this.#assertBegun(rows)
    const unapplied = changes.length === 0 ? [] : unappliedOf(changes, rows.positions(projections), this.#begun)
    const marks = new Map<string, number>()
    for (const [collection, position] of newestOf(unapplied)) {
      const written = rows.written(collection)
      if (written === undefined || written.mark < this.#seen.mark(generation, collection))
        throw new ViewsLostError(`the collection ${collection} is older than what was written`)
      marks.set(collection, rows.writeOnce(written, collection, position))
    }
    const keys = unapplied.flatMap((change) => {
      const ids = 'removes' in change ? rows.removeDocuments(change) : rows.putDocument(change)
      return ids.map((id) => documentKey(change.collection, id))
    })
    for (const [collection, mark] of marks) this.#seen.noteMark(generation, collection, mark)
    if (checkpoint === undefined) return keys
    for (const each of projections) {
      const from = rows.moveCheckpoint(each, this.#begun, checkpoint)
      if (leastOf(from, this.#begun.shards) < this.#seen.checkpoint(generation, each))
        throw new ViewsLostError(`the checkpoint of ${each} is older than what was written`)
      this.#seen.noteCheckpoint(generation, each, checkpoint)
    }
    return keys
  }

  /** @returns the generation that was begun */
  #assertBegun(rows: ViewsRows): string {
    if (this.#generation === undefined) throw new ViewsReplacedError()
    const generation = rows.generation()
    if (generation === undefined) throw new ViewsLostError('there are none')
    if (generation !== this.#generation) throw new ViewsReplacedError()
    if (differIn(this.#begun.shards, rows.interruptions(), this.#interruptions)) throw new ViewsReplacedError()
    return generation
  }

  async verify(): Promise<void> {
    await this.#writing((opened) => {
      const what = opened.watch.look()
      if (what !== undefined) throw new DamagedFileError(what)
      this.#assertBegun(opened.rows)
      this.#seen.verify(opened.rows.stored(this.#begun.projections), this.#begun)
      opened.watch.erase()
    })
  }

  async makeReadable(): Promise<void> {
    await this.#writing(({ rows, check }) => {
      const generation = this.#assertBegun(rows)
      rows.makeReadable(this.#begun.shards)
      this.#seen.noteWhole(generation)
      // Views under construction are not checked: they have just been written.
      if (this.#next === undefined) check.start()
    })
  }

  async problem(): Promise<string | undefined> {
    try {
      for (const collection of Object.keys(this.#definition.collections)) this.#read(collection, () => undefined)
      return undefined
    } catch (error) {
      if (error instanceof ViewsUnreadableError) return viewsProblem
      throw error
    }
  }

  /** @throws ViewsUnreadableError the views cannot be trusted */
  #read<T>(collection: string, read: (rows: ViewsRows) => T): T {
    try {
      return this.#use(({ rows }) => {
        const standing = rows.standing(collection)
        if (!standing?.isReadable) throw new ViewsUnreadableError()
        this.#seen.read(standing.generation, collection, standing.mark)
        return read(rows)
      })
    } catch (error) {
      if (error instanceof ViewsLostError) throw new ViewsUnreadableError()
      throw error
    }
  }

  async checkpoint(projection: string): Promise<number> {
    return this.#checkpoint(projection)
  }

  async waitForCheckpoint(projection: string, position: number, timeoutMs: number): Promise<boolean> {
    const key = checkpointKey(projection)
    const read = (): boolean => this.#checkpoint(projection) >= position
    return this.#readUntil({ notifier: this.#changed, key, read, enough: (passed) => passed }, timeoutMs)
  }

  async get<D extends Document>(collection: string, id: string): Promise<Stored<D> | undefined> {
    return this.#read(collection, (rows) => this.#stored<D>(rows, collection, id))
  }

  async getMany<D extends Document>(collection: string, ids: readonly string[]): Promise<Stored<D>[]> {
    return this.#use(({ rows }) =>
      [...new Set(ids)].map((id) => this.#stored<D>(rows, collection, id)).filter((document) => document !== undefined),
    )
  }

  async find<D extends Document>(collection: string, field: string, value: string): Promise<Stored<D>[]> {
    assertIndexed(this.#definition, collection, field)
    const sql = (documents: string): string =>
      `SELECT ${listedColumns} FROM ${documents} WHERE ${isField(collection, field)} = ?`
    return this.#read(collection, (rows) => this.#listed<D>(rows, collection, sql(rows.tables.documents), [value]))
  }

  async page<D extends Document>(collection: string, question: PageQuestion): Promise<Stored<D>[]> {
    assertPageIndex(this.#definition, collection, question)
    return this.#read(collection, (rows) => {
      const { sql, parameters } = pageQuery(rows.tables.documents, listedColumns, collection, question)
      return this.#listed<D>(rows, collection, sql, parameters)
    })
  }

  async waitForChange<D extends Document>(
    collection: string,
    id: string,
    position: number,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Stored<D> | undefined> {
    const key = documentKey(collection, id)
    // Read after every commit: without the large field.
    const read = (): number => this.#read(collection, (rows) => rows.position(collection, id) ?? 0)
    const enough = (found: number): boolean => (found === 0 ? position > 0 : found > position)
    await this.#readUntil({ notifier: this.#changed, key, read, enough }, timeoutMs, signal)
    return this.get<D>(collection, id)
  }

  putNote(id: string, note: Document): Promise<void> {
    return this.putNotes(new Map([[id, note]]))
  }

  async putNotes(notes: ReadonlyMap<string, Document>): Promise<void> {
    const all = Array.from(notes, ([id, note]) => [id, JSON.stringify(note)] as const)
    await this.#writingAgain(({ database, rows }) => inTransaction(database, () => rows.putNotes(all)))
  }

  async getNotes<D extends Document>(ids: readonly string[]): Promise<Map<string, D>> {
    return this.#useAgain(({ rows }) => new Map(rows.notes(ids).map(([id, json]) => [id, JSON.parse(json) as D])))
  }

  async rebuild(): Promise<SqliteRebuild> {
    await this.#writing(({ database, rows }) => {
      if (rows.generation() === undefined) inTransaction(database, () => void rows.makeNew())
    })
    // A connection of its own: its commits wake waiters here only by the poll, like those of another process.
    const database = openViewsFile({ path: this.#options.path, definition: this.#definition })
    const tables = await whenFree(() => new NextTables(database, this.#definition))
    const views = new SqliteViews(this.#options, { database, tables })
    return new SqliteRebuild(views, tables, () => views.#goLive())
  }

  /** Called when the tables of the rebuild have become the live ones. */
  #goLive(): void {
    const opened = this.open()
    this.#opened = { ...opened, rows: new ViewsRows(opened.database, liveTables, this.#definition) }
  }

  async #readUntil<T>(watched: Watched<T>, timeoutMs: number, signal?: AbortSignal): Promise<T> {
    this.#opened?.poll.start()
    try {
      return await readUntil(watched, {
        clock: this.#clock,
        timeoutMs,
        signal,
        closed: () => this.#closed,
      })
    } finally {
      if (!this.#changed.waitedFor) this.#opened?.poll.stop()
    }
  }

  #stored<D extends Document>(rows: ViewsRows, collection: string, id: string): Stored<D> | undefined {
    const held = rows.document(collection, id)
    return held && storedDocument<D>(this.#definition, collection, id, held)
  }

  /** The documents that a query finds, without the large fields. */
  #listed<D extends Document>(
    rows: ViewsRows,
    collection: string,
    sql: string,
    values: readonly (string | number)[],
  ): Stored<D>[] {
    const found = rows.statement(sql).all(...values)
    return found.map((row) => {
      return listedDocument<D>(this.#definition, collection, String(row.id), listedOf(collection, row))
    })
  }

  #checkpoint(projection: string): number {
    return this.#useAgain(({ rows }) => leastOf(rows.checkpoint(projection)?.positions ?? atStart))
  }

  #close(): void {
    const opened = this.#opened
    this.#opened = undefined
    opened?.poll.stop()
    opened?.check.stop()
    opened?.database.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#changed.notifyAll()
    this.#close()
  }
}
