import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { Shard } from '#packages/ports/shards.ts'
import { type ViewsDefinition, ViewsLostError } from '#packages/ports/views.ts'
import type { MendedDocument, ViewsMender } from '#packages/ports/views-mender.ts'
import { FileWatch } from './file-watch.ts'
import { liveTables } from './view-tables.ts'
import { openViewsFile } from './views-file.ts'
import { SqliteViewsReader } from './views-reader.ts'
import { ViewsRows } from './views-rows.ts'

/** How long a write waits for that of a service, milliseconds. */
const BUSY_TIMEOUT_MS = 5000

/** Opens the file of the views to mend documents in it. Undefined where there is no file. */
export function openSqliteViewsMender(path: string, definition: ViewsDefinition): ViewsMender | undefined {
  if (!existsSync(path)) return undefined
  return new SqliteViewsMender(path, openViewsFile({ path, definition, busyTimeoutMs: BUSY_TIMEOUT_MS }), definition)
}

class SqliteViewsMender extends SqliteViewsReader implements ViewsMender {
  readonly #database: DatabaseSync
  readonly #watch: FileWatch
  readonly #rows: ViewsRows

  constructor(path: string, database: DatabaseSync, definition: ViewsDefinition) {
    super(database, definition)
    this.#database = database
    this.#watch = new FileWatch(path, database)
    this.#rows = new ViewsRows(database, liveTables, definition)
  }

  async put(documents: readonly MendedDocument[]): Promise<void> {
    this.#transaction(() => {
      for (const { collection, id, made, upTo } of documents) {
        // All up to there are older than the next position. One that is newer is left by both.
        this.#rows.removeDocuments({ collection, position: upTo + 1, removes: { id } })
        if (made === undefined) continue
        if (this.#rows.mark(collection) === undefined) throw new ViewsLostError(`the collection ${collection} is gone`)
        this.#rows.putMark(collection, made.position)
        this.#rows.putDocument({ collection, id, ...made })
      }
    })
    this.#watch.carryOver(true)
  }

  async interrupt(shards: ReadonlySet<Shard>): Promise<void> {
    this.#transaction(() => this.#rows.interrupt(shards))
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

  override async [Symbol.asyncDispose](): Promise<void> {
    this.#watch.erase()
    await super[Symbol.asyncDispose]()
  }
}
