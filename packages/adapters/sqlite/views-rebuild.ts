import type { DatabaseSync } from 'node:sqlite'
import { type Views, type ViewsDefinition, type ViewsRebuild, ViewsReplacedError } from '#packages/ports/views.ts'
import { emptyState, hasPassed, nextGeneration } from '../views-state.ts'
import { noteRemoval } from './removals-since-vacuum.ts'
import { inTransaction } from './transaction.ts'
import { liveTables, nextTables } from './view-tables.ts'
import { documentColumns, indexes } from './views-file.ts'
import { ViewsRows } from './views-rows.ts'
import { whenFree } from './when-free.ts'

type Parts = {
  /** A separate connection for the rebuild. */
  database: DatabaseSync
  definition: ViewsDefinition
  now: number
  views: Views
  /** Called once the new views have become the live ones. */
  onLive: () => void
}

/** New views, built beside the live ones in the same file. */
export class SqliteRebuild implements ViewsRebuild {
  readonly views: Views
  readonly #parts: Parts
  readonly #live: ViewsRows
  readonly #next: ViewsRows
  /** The generations of the live views and of the new ones. */
  readonly #generations: { live: number; next: number }
  #areLive = false

  /** Creates the table, and replaces that of an earlier attempt. Called while there are live views. */
  constructor(parts: Parts) {
    const { database, definition, now, views } = parts
    this.views = views
    this.#parts = parts
    this.#live = new ViewsRows(database, liveTables, definition)
    this.#next = new ViewsRows(database, nextTables, definition)
    // FAST, because readers wait while the old table is dropped. The next VACUUM clears its pages.
    database.exec('PRAGMA secure_delete = FAST')
    this.#generations = inTransaction(database, () => {
      const live = this.#live.state()
      if (live === undefined) throw new ViewsReplacedError()
      const next = nextGeneration(now, live.generation, this.#next.state()?.generation ?? 0)
      this.#drop()
      database.exec(`CREATE TABLE ${nextTables.documents} (${documentColumns(definition)})`)
      this.#next.putState(emptyState(live.store, next))
      return { live: live.generation, next }
    })
  }

  /** In one transaction: readers see either the old views or the new ones. */
  async takeOver(): Promise<boolean> {
    this.#areLive ||= await whenFree(() => inTransaction(this.#parts.database, () => this.#replace()))
    if (this.#areLive) this.#parts.onLive()
    return this.#areLive
  }

  /**
   * Makes the new views the live ones. False if the live ones are ahead.
   * @throws ViewsReplacedError another process was first
   */
  #replace(): boolean {
    const { database, definition } = this.#parts
    const [live, next] = [this.#live.state(), this.#next.state()]
    const areKnown = live?.generation === this.#generations.live && next?.generation === this.#generations.next
    if (!areKnown) throw new ViewsReplacedError()
    if (!hasPassed(next, live)) return false
    const { documents } = liveTables
    database.exec(`DROP TABLE ${documents}; ALTER TABLE ${nextTables.documents} RENAME TO ${documents}`)
    for (const index of indexes(definition)) database.exec(index)
    // New views that take over have reached the end of the feed.
    this.#live.putState({ ...next, isReadable: true })
    this.#drop()
    noteRemoval(database)
    return true
  }

  #drop(): void {
    const { documents, state } = nextTables
    this.#parts.database.exec(`DROP TABLE IF EXISTS ${documents}; DELETE FROM state WHERE name = '${state}'`)
  }

  /** Drops the table if it never became live. */
  async [Symbol.asyncDispose](): Promise<void> {
    const dropOwn = (): void => {
      if (this.#next.state()?.generation === this.#generations.next) this.#drop()
    }
    await whenFree(() => inTransaction(this.#parts.database, dropOwn))
    await this.views[Symbol.asyncDispose]()
  }
}
