import type { DatabaseSync } from 'node:sqlite'
import { type Views, type ViewsDefinition, type ViewsRebuild, ViewsReplacedError } from '#packages/ports/views.ts'
import { emptyState, hasPassed, nextGeneration } from '../views-state.ts'
import { noteRemoval } from './removals-since-vacuum.ts'
import { inTransaction } from './transaction.ts'
import { liveTables, type ViewsTables } from './view-tables.ts'
import { documentColumns, indexes } from './views-file.ts'
import { ViewsRows } from './views-rows.ts'
import { whenFree } from './when-free.ts'

/** The documents of new views, made beside the live ones in the same file. */
export class NextTables {
  readonly tables: ViewsTables = { documents: 'next_documents', state: 'next' }
  readonly #database: DatabaseSync
  readonly #definition: ViewsDefinition
  readonly #live: ViewsRows
  readonly #next: ViewsRows
  /** Those of the views that these are to replace, and of these. */
  readonly #generations: { live: number; next: number }
  #areLive = false

  /** Makes the table, in place of that of an earlier attempt. Called while there are live views. */
  constructor(database: DatabaseSync, definition: ViewsDefinition, now: number) {
    this.#database = database
    this.#definition = definition
    this.#live = new ViewsRows(database, liveTables, definition)
    this.#next = new ViewsRows(database, this.tables, definition)
    // The old table is dropped while readers wait: the next VACUUM clears its pages.
    database.exec('PRAGMA secure_delete = FAST')
    this.#generations = inTransaction(database, () => {
      const live = this.#live.state()
      if (live === undefined) throw new ViewsReplacedError()
      const next = nextGeneration(now, live.generation, this.#next.state()?.generation ?? 0)
      this.#drop()
      database.exec(`CREATE TABLE next_documents (${documentColumns(definition)})`)
      this.#next.putState(emptyState(live.store, next))
      return { live: live.generation, next }
    })
  }

  /** Puts them in the place of the live ones. False where those are ahead. @throws ViewsReplacedError others came first */
  takeOver(): boolean {
    this.#areLive ||= inTransaction(this.#database, () => {
      const [live, next] = [this.#live.state(), this.#next.state()]
      const areKnown = live?.generation === this.#generations.live && next?.generation === this.#generations.next
      if (!areKnown) throw new ViewsReplacedError()
      if (!hasPassed(next, live)) return false
      this.#database.exec('DROP TABLE documents; ALTER TABLE next_documents RENAME TO documents')
      for (const index of indexes(this.#definition)) this.#database.exec(index)
      // New views that take over have reached the end of the feed.
      this.#live.putState({ ...next, isReadable: true })
      this.#drop()
      noteRemoval(this.#database)
      return true
    })
    return this.#areLive
  }

  /** Drops the table where it never became live. */
  remove(): void {
    inTransaction(this.#database, () => {
      if (this.#next.state()?.generation === this.#generations.next) this.#drop()
    })
  }

  #drop(): void {
    this.#database.exec("DROP TABLE IF EXISTS next_documents; DELETE FROM state WHERE name = 'next'")
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
