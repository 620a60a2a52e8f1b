import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Document, Stored, ViewsDefinition } from '#packages/ports/views.ts'
import type { ViewsReader } from '#packages/ports/views-reader.ts'
import { versionOf } from './event-schema.ts'
import { liveTables } from './view-tables.ts'
import { listedColumns, ViewsRows } from './views-rows.ts'

const BUSY_TIMEOUT_MS = 5000

/** Documents of one page. */
const PAGE = 500

/**
 * Opens the file of the views for reading only. A file of another version opens too, but then there is nothing to
 * compare. Undefined if there is no file.
 */
export function openSqliteViewsReader(path: string, definition: ViewsDefinition): ViewsReader | undefined {
  if (!existsSync(path)) return undefined
  const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
  return new SqliteViewsReader(database, definition)
}

class SqliteViewsReader implements ViewsReader {
  readonly #database: DatabaseSync
  readonly #rows: ViewsRows
  readonly #definition: ViewsDefinition

  constructor(database: DatabaseSync, definition: ViewsDefinition) {
    this.#database = database
    this.#definition = definition
    this.#rows = new ViewsRows(database, liveTables, definition)
  }

  async checkpoint(): Promise<number | undefined> {
    const state = versionOf(this.#database) === this.#definition.version ? this.#rows.state() : undefined
    return state?.isReadable ? state.checkpoint : undefined
  }

  async *documents(collection: string): AsyncIterable<readonly Stored<Document>[]> {
    const { documents } = this.#rows.tables
    const page = this.#rows.statement(
      `SELECT ${listedColumns}, large FROM ${documents} WHERE collection = ? AND id > ? ORDER BY id LIMIT ${PAGE}`,
    )
    for (let after = ''; ; ) {
      const rows = page.all(collection, after)
      const last = rows.at(-1)
      if (last === undefined) return
      after = String(last.id)
      yield rows.map((row) => this.#rows.stored(collection, row))
    }
  }

  async getMany(collection: string, ids: readonly string[]): Promise<Stored<Document>[]> {
    return ids.map((id) => this.#rows.document(collection, id)).filter((document) => document !== undefined)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#database.close()
  }
}
