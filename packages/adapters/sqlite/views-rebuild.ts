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

/**
 * Begins new views beside the live ones in the same file. Creates their table, and replaces that of an earlier attempt.
 * Called while there are live views.
 */
export function sqliteRebuild({ database, definition, now, views, onLive }: Parts): ViewsRebuild {
  const live = new ViewsRows(database, liveTables, definition)
  const next = new ViewsRows(database, nextTables, definition)
  const drop = (): void => {
    const { documents, state } = nextTables
    database.exec(`DROP TABLE IF EXISTS ${documents}; DELETE FROM state WHERE name = '${state}'`)
  }
  // FAST, because readers wait while the old table is dropped. The next VACUUM clears its pages.
  database.exec('PRAGMA secure_delete = FAST')
  /** The generations of the live views and of the new ones. */
  const generations = inTransaction(database, () => {
    const state = live.state()
    if (state === undefined) throw new ViewsReplacedError()
    const generation = nextGeneration(now, state.generation, next.state()?.generation ?? 0)
    drop()
    database.exec(`CREATE TABLE ${nextTables.documents} (${documentColumns(definition)})`)
    next.putState(emptyState(state.store, generation))
    return { live: state.generation, next: generation }
  })

  /**
   * Makes the new views the live ones. False if the live ones are ahead.
   * @throws ViewsReplacedError another process was first
   */
  function replace(): boolean {
    const [old, made] = [live.state(), next.state()]
    const areKnown = old?.generation === generations.live && made?.generation === generations.next
    if (!areKnown) throw new ViewsReplacedError()
    if (!hasPassed(made, old)) return false
    const { documents } = liveTables
    database.exec(`DROP TABLE ${documents}; ALTER TABLE ${nextTables.documents} RENAME TO ${documents}`)
    for (const index of indexes(definition)) database.exec(index)
    // New views that take over have reached the end of the feed.
    live.putState({ ...made, isReadable: true })
    drop()
    noteRemoval(database)
    return true
  }

  let areLive = false
  return {
    views,
    /** In one transaction: readers see either the old views or the new ones. */
    async takeOver() {
      areLive ||= await whenFree(() => inTransaction(database, replace))
      if (areLive) onLive()
      return areLive
    },
    /** Drops the table if it never became live. */
    async [Symbol.asyncDispose]() {
      const dropOwn = (): void => {
        if (next.state()?.generation === generations.next) drop()
      }
      await whenFree(() => inTransaction(database, dropOwn))
      await views[Symbol.asyncDispose]()
    },
  }
}
