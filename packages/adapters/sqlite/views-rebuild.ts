import type { DatabaseSync } from 'node:sqlite'
import { type Views, type ViewsDefinition, type ViewsRebuild, ViewsReplacedError } from '#packages/ports/views.ts'
import { atStart, greatestOf, leastOf } from '../shard-positions.ts'
import { noteRemoval } from './removals-since-vacuum.ts'
import { inTransaction } from './transaction.ts'
import { liveTables, type ViewsTables } from './view-tables.ts'
import { checkpointColumns, documentColumns, indexes, stateColumns } from './views-file.ts'
import { ViewsRows } from './views-rows.ts'
import { whenFree } from './when-free.ts'

/** The tables of new views, made beside the live ones in the same file. */
export class NextTables {
  readonly tables: ViewsTables = {
    documents: 'next_documents',
    checkpoints: 'next_checkpoints',
    state: 'next_state',
  }
  readonly #database: DatabaseSync
  readonly #definition: ViewsDefinition
  /** The names of all views, as a list in SQL. */
  readonly #views: string
  readonly #generation: string
  #areLive = false

  /** Makes the tables, in place of those of an earlier attempt. */
  constructor(database: DatabaseSync, definition: ViewsDefinition) {
    this.#database = database
    this.#definition = definition
    this.#views = Object.keys(definition.collections)
      .map((view) => `'${view}'`)
      .join(', ')
    // The old tables are dropped while readers wait: the next VACUUM clears their pages.
    database.exec('PRAGMA secure_delete = FAST')
    this.#generation = inTransaction(this.#database, () => {
      this.#drop()
      database.exec(`
        CREATE TABLE next_documents (${documentColumns(definition)});
        CREATE TABLE next_checkpoints (${checkpointColumns}) WITHOUT ROWID;
        CREATE TABLE next_state (${stateColumns}) WITHOUT ROWID`)
      return new ViewsRows(database, this.tables, definition).makeNew()
    })
  }

  /**
   * Puts them in the place of the live ones. False where those are ahead. @throws ViewsReplacedError the tables are
   * gone
   */
  takeOver(): boolean {
    this.#areLive ||= inTransaction(this.#database, () => {
      if (!this.#areOurs()) throw new ViewsReplacedError()
      if (this.#areBehind()) return false
      this.#database.exec(`
        DELETE FROM checkpoints WHERE projection IN (${this.#views});
        INSERT INTO checkpoints SELECT * FROM next_checkpoints;
        DELETE FROM state;
        INSERT INTO state SELECT name, value FROM next_state;
        DROP TABLE documents;
        ALTER TABLE next_documents RENAME TO documents;`)
      for (const index of indexes(this.#definition)) this.#database.exec(index)
      this.#drop()
      noteRemoval(this.#database)
      // New views that take over have reached the end of the feed.
      new ViewsRows(this.#database, liveTables, this.#definition).makeReadable()
      return true
    })
    return this.#areLive
  }

  /** Drops the tables where they never became live. */
  remove(): void {
    inTransaction(this.#database, () => {
      if (!this.#areLive && this.#areOurs()) this.#drop()
    })
  }

  #areOurs(): boolean {
    const made = this.#database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'next_state'").get()
    return (
      made !== undefined &&
      new ViewsRows(this.#database, this.tables, this.#definition).generation() === this.#generation
    )
  }

  /** Their checkpoints have not passed those of the live ones, or not what was shown since. */
  #areBehind(): boolean {
    const live = new ViewsRows(this.#database, liveTables, this.#definition)
    const next = new ViewsRows(this.#database, this.tables, this.#definition)
    const isBehind = (view: string): boolean => {
      const shown = Math.max(greatestOf(live.checkpoint(view)?.positions ?? atStart), live.written(view)?.newest ?? 0)
      return leastOf(next.checkpoint(view)?.positions ?? atStart) < shown
    }
    return Object.keys(this.#definition.collections).some(isBehind)
  }

  #drop(): void {
    for (const table of ['next_documents', 'next_checkpoints', 'next_state'])
      this.#database.exec(`DROP TABLE IF EXISTS ${table}`)
  }
}

export class SqliteRebuild implements ViewsRebuild {
  readonly views: Views
  readonly #next: NextTables
  readonly #onLive: () => void

  /** @param onLive called once they have become the live ones */
  constructor(views: Views, next: NextTables, onLive: () => void) {
    this.views = views
    this.#next = next
    this.#onLive = onLive
  }

  /** In one transaction: readers see either the old views or the new ones. */
  async takeOver(): Promise<boolean> {
    const areLive = await whenFree(() => this.#next.takeOver())
    if (areLive) this.#onLive()
    return areLive
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await whenFree(() => this.#next.remove())
    await this.views[Symbol.asyncDispose]()
  }
}
