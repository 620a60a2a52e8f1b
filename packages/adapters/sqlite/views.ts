import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '#packages/ports/clock.ts'
import {
  type AppliedTo,
  type Document,
  type GuardedChange,
  type PageQuestion,
  type RebuildableViews,
  type Stored,
  type ViewsDefinition,
  ViewsLostError,
  type ViewsRebuild,
  ViewsReplacedError,
  ViewsUnreadableError,
} from '#packages/ports/views.ts'
import { assertIndexed, assertPageIndex, documentKey, stateKey } from '../documents.ts'
import { KeyedNotifier, readUntil, type Wait } from '../keyed-notifier.ts'
import {
  BegunViews,
  emptyState,
  movedTo,
  nextGeneration,
  problemOf,
  SeenViews,
  unappliedOf,
  type ViewsState,
} from '../views-state.ts'
import { CommitPoll } from './commit-poll.ts'
import { DamagedFileError, isDamage } from './damaged-file.ts'
import { FileWatch } from './file-watch.ts'
import { pageQuery } from './page-query.ts'
import { inTransaction } from './transaction.ts'
import { liveTables, nextTables, type ViewsTables } from './view-tables.ts'
import { ViewsCheck } from './views-check.ts'
import { isField, openViewsFile, setFileAside, type ViewsFileOptions } from './views-file.ts'
import { sqliteRebuild } from './views-rebuild.ts'
import { listedColumns, ViewsRows } from './views-rows.ts'
import { waitBriefly, whenFree } from './when-free.ts'

export type SqliteViewsOptions = ViewsFileOptions & { clock: Clock }

/** Opens the file of the views, and creates it if it is missing. Wrong or damaged views are rebuilt. */
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

/** For how long readers may rely on the last read of the state, milliseconds. */
const LOOK_EVERY_MS = 1000

/** A connection to the file, for as long as the file is trusted. */
type Opened = { database: DatabaseSync; watch: FileWatch; check: ViewsCheck; poll: CommitPoll; rows: ViewsRows }

class SqliteViews implements RebuildableViews {
  readonly #options: SqliteViewsOptions
  readonly #clock: Clock
  readonly #definition: ViewsDefinition
  readonly #changed = new KeyedNotifier()
  /** The id of the event store. */
  readonly #store: string | undefined
  readonly #seen = new SeenViews()
  /** The first read at or after this time reads the state again. */
  #lookAt = 0
  #opened: Opened | undefined
  #closed = false
  #begun = new BegunViews()
  /** Whether these views are built beside the live ones. */
  readonly #isBeside: boolean

  /** @param beside the connection of views that are built beside the live ones */
  constructor(options: SqliteViewsOptions, beside?: DatabaseSync) {
    this.#options = options
    this.#clock = options.clock
    this.#definition = options.definition
    this.#store = options.origin?.id
    this.#isBeside = beside !== undefined
    if (beside !== undefined) this.#opened = this.#connected(beside, nextTables)
  }

  /** Opens the file if it is not open. @throws Error the file cannot be opened or created */
  open(): Opened {
    if (this.#closed) throw new Error('the views are closed')
    if (this.#opened === undefined && this.#isBeside) throw new ViewsReplacedError()
    this.#opened ??= this.#connected(openViewsFile(this.#options), liveTables)
    return this.#opened
  }

  #connected(database: DatabaseSync, tables: ViewsTables): Opened {
    const poll = new CommitPoll(database, () => this.#changed.notifyAll())
    const watch = new FileWatch(this.#options.path, database)
    const check = new ViewsCheck(this.#options.path, (what) => this.#setAside(new DamagedFileError(what)))
    // From now on, writers wait by `whenFree`.
    waitBriefly(database)
    return { database, watch, check, poll, rows: new ViewsRows(database, tables, this.#definition) }
  }

  /**
   * Runs work on the open file. If the file turns out to be damaged, it is set aside, and the next call opens a new
   * one.
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
    this.#lookAt = 0
    if (!this.#isBeside) setFileAside(this.#options, error)
    this.#changed.notifyAll()
  }

  /** For `begin` and notes: if the file is damaged, repeats the work on a new one. */
  #useAgain<T>(work: (opened: Opened) => T): T {
    try {
      return this.#use(work)
    } catch (error) {
      if (error instanceof ViewsLostError) return this.#use(work)
      throw error
    }
  }

  /** As `#useAgain`, for a transaction. */
  #writing<T>(work: (opened: Opened) => T): Promise<T> {
    return whenFree(() => this.#useAgain(work))
  }

  async begin(): Promise<number> {
    return this.#writing(({ database, rows }) => {
      const state = inTransaction(database, () => {
        const found = rows.state()
        if (found !== undefined && this.#begun.problemOf(found, this.#store) === undefined) return found
        const generation = nextGeneration(this.#clock.now(), found?.generation ?? 0, this.#begun.generation)
        const made = emptyState(this.#store ?? found?.store ?? '', generation)
        rows.makeNew(made)
        return made
      })
      this.#begun.note(state)
      this.#lookAt = 0
      return state.checkpoint
    })
  }

  async apply(changes: readonly GuardedChange[], to: AppliedTo): Promise<void> {
    const areRemoved = changes.some((change) => 'removes' in change)
    const changed = await whenFree(() =>
      this.#use(({ database, rows, watch, check }) => {
        const { keys, state } = inTransaction(database, () => this.#apply(rows, changes, to))
        this.#begun.note(state)
        watch.carryOver(areRemoved)
        if (areRemoved) check.removed()
        return keys
      }),
    )
    for (const key of changed) this.#changed.notify(key)
    this.#changed.notify(stateKey)
  }

  /** @returns the keys of the documents that may have changed */
  #apply(rows: ViewsRows, changes: readonly GuardedChange[], to: AppliedTo): { keys: string[]; state: ViewsState } {
    const found = this.#assertOurs(rows)
    const keys = unappliedOf(changes, found).flatMap((change) => {
      const ids = 'removes' in change ? rows.removeDocuments(change) : rows.putDocument(change)
      return ids.map((id) => documentKey(change.collection, id))
    })
    const state = movedTo(found, to)
    rows.putState(state)
    return { keys, state }
  }

  #assertOurs(rows: ViewsRows): ViewsState {
    this.#lookAt = 0
    return this.#begun.assertOurs(rows.state(), this.#store)
  }

  async verify(): Promise<void> {
    const verify = ({ watch, rows }: Opened): void => {
      const what = watch.look()
      if (what !== undefined) throw new DamagedFileError(what)
      this.#assertOurs(rows)
      watch.erase()
    }
    await whenFree(() => this.#use(verify))
  }

  async makeReadable(): Promise<void> {
    const makeReadable = ({ database, rows, check }: Opened): void => {
      const state = inTransaction(database, () => {
        const readable = { ...this.#assertOurs(rows), isReadable: true }
        rows.putState(readable)
        return readable
      })
      this.#begun.note(state)
      // Views under construction are not checked: they have just been written.
      if (!this.#isBeside) check.start()
    }
    await whenFree(() => this.#use(makeReadable))
  }

  problem(): Promise<string | undefined> {
    this.#lookAt = 0
    return problemOf(() => this.#read(() => undefined))
  }

  /** @throws ViewsUnreadableError the views cannot be trusted */
  #read<T>(read: (rows: ViewsRows) => T): T {
    try {
      return this.#use(({ rows }) => {
        if (this.#clock.now() >= this.#lookAt) this.#look(rows)
        return read(rows)
      })
    } catch (error) {
      if (error instanceof ViewsLostError) throw new ViewsUnreadableError()
      throw error
    }
  }

  /** @throws ViewsUnreadableError the views cannot be trusted */
  #look(rows: ViewsRows): void {
    this.#lookAt = 0
    this.#seen.assertReadable(rows.state(), this.#store)
    this.#lookAt = this.#clock.now() + LOOK_EVERY_MS
  }

  async checkpoint(): Promise<number> {
    return this.#useAgain(({ rows }) => rows.state()?.checkpoint ?? 0)
  }

  async waitForApplied(position: number, timeoutMs: number): Promise<boolean> {
    const read = (): boolean => this.#useAgain(({ rows }) => rows.state()?.applied ?? 0) >= position
    const enough = (passed: boolean): boolean => passed
    return this.#readUntil({ key: stateKey, read, enough, timeoutMs })
  }

  async get<D extends Document>(collection: string, id: string): Promise<Stored<D> | undefined> {
    return this.#read((rows) => {
      const found = rows.document<D>(collection, id)
      // It may be missing because all documents are.
      if (found === undefined) this.#look(rows)
      return found
    })
  }

  async getMany<D extends Document>(collection: string, ids: readonly string[]): Promise<Stored<D>[]> {
    return this.#use(({ rows }) =>
      [...new Set(ids)].map((id) => rows.document<D>(collection, id)).filter((document) => document !== undefined),
    )
  }

  async listMany<D extends Document>(collection: string, ids: readonly string[]): Promise<Stored<D>[]> {
    const isOne = 'collection = ? AND id IN (SELECT value FROM json_each(?))'
    return this.#list((rows) => rows.list<D>(collection, isOne, collection, JSON.stringify(ids)))
  }

  async find<D extends Document>(collection: string, field: string, value: string): Promise<Stored<D>[]> {
    assertIndexed(this.#definition, collection, field)
    return this.#list((rows) => rows.list<D>(collection, `${isField(collection, field)} = ?`, value))
  }

  async page<D extends Document>(collection: string, question: PageQuestion): Promise<Stored<D>[]> {
    assertPageIndex(this.#definition, collection, question)
    return this.#list((rows) => {
      const { sql, parameters } = pageQuery(rows.tables.documents, listedColumns, collection, question)
      return rows.listBy<D>(collection, sql, parameters)
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
    // Runs after every commit, so it does not read the large field.
    const read = (): number => this.#read((rows) => rows.position(collection, id) ?? 0)
    const enough = (found: number): boolean => (found === 0 ? position > 0 : found > position)
    await this.#readUntil({ key, read, enough, timeoutMs, signal })
    return this.get<D>(collection, id)
  }

  async putNote(id: string, note: Document): Promise<void> {
    const json = JSON.stringify(note)
    await this.#writing(({ rows }) => rows.putNote(id, json))
  }

  async getNotes<D extends Document>(ids: readonly string[]): Promise<Map<string, D>> {
    return this.#useAgain(({ rows }) => new Map(rows.notes(ids).map(([id, json]) => [id, JSON.parse(json) as D])))
  }

  async rebuild(): Promise<ViewsRebuild> {
    const makeNew = ({ database, rows }: Opened): void => {
      inTransaction(database, () => {
        if (rows.state() === undefined) rows.makeNew(emptyState(this.#store ?? '', nextGeneration(this.#clock.now())))
      })
    }
    await whenFree(() => this.#use(makeNew))
    // A separate connection: its commits wake waiters here only by the poll, like those of another process.
    const database = openViewsFile({ path: this.#options.path, definition: this.#definition })
    const views = new SqliteViews(this.#options, database)
    const [definition, now, onLive] = [this.#definition, this.#clock.now(), () => views.#goLive()]
    return whenFree(() => sqliteRebuild({ database, definition, now, views, onLive }))
  }

  /** Called when the tables of the rebuild have become the live ones. */
  #goLive(): void {
    const opened = this.open()
    this.#opened = { ...opened, rows: new ViewsRows(opened.database, liveTables, this.#definition) }
  }

  async #readUntil<T>(wait: Omit<Wait<T>, 'notifier' | 'clock' | 'closed'>): Promise<T> {
    this.#opened?.poll.start()
    try {
      const given = { notifier: this.#changed, clock: this.#clock, closed: () => this.#closed }
      return await readUntil({ ...given, ...wait })
    } finally {
      if (!this.#changed.waitedFor) this.#opened?.poll.stop()
    }
  }

  #list<D extends Document>(list: (rows: ViewsRows) => Stored<D>[]): Stored<D>[] {
    return this.#read((rows) => {
      const found = list(rows)
      // As in `get`.
      if (found.length === 0) this.#look(rows)
      return found
    })
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
