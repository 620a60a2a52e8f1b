import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { Shard } from '#packages/ports/shards.ts'
import { type ViewsDefinition, ViewsLostError } from '#packages/ports/views.ts'
import type { MendedDocument, ViewsMender } from '#packages/ports/views-mender.ts'
import { FileWatch } from './file-watch.ts'
import { inTransaction } from './transaction.ts'
import { openViewsFile } from './views-file.ts'
import { SqliteViewsReader } from './views-reader.ts'

/** How long a write waits for that of a service, milliseconds. */
const BUSY_TIMEOUT_MS = 5000

/** Opens the file of the views to mend documents in it. Undefined where there is no file. */
export function openSqliteViewsMender(path: string, definition: ViewsDefinition): ViewsMender | undefined {
  if (!existsSync(path)) return undefined
  return new SqliteViewsMender(path, openViewsFile({ path, definition, busyTimeoutMs: BUSY_TIMEOUT_MS }), definition)
}

class SqliteViewsMender extends SqliteViewsReader implements ViewsMender {
  readonly #watch: FileWatch

  constructor(path: string, database: DatabaseSync, definition: ViewsDefinition) {
    super(database, definition)
    this.#watch = new FileWatch(path, database)
  }

  async put(documents: readonly MendedDocument[]): Promise<void> {
    inTransaction(this.database, () => {
      for (const { collection, id, made, upTo } of documents) {
        // All up to there are older than the next position. One that is newer is left by both.
        this.rows.removeDocuments({ collection, position: upTo + 1, removes: { id } })
        if (made === undefined) continue
        const written = this.rows.written(collection)
        if (written === undefined) throw new ViewsLostError(`the collection ${collection} is gone`)
        this.rows.writeOnce(written, collection, made.position)
        this.rows.putDocument({ collection, id, ...made })
      }
    })
    this.#watch.carryOver(true)
  }

  async interrupt(shards: ReadonlySet<Shard>): Promise<void> {
    inTransaction(this.database, () => this.rows.interrupt(shards))
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.#watch.erase()
    await super[Symbol.asyncDispose]()
  }
}
