import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { ViewsDefinition } from '#packages/ports/views.ts'
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
  const rows = new ViewsRows(database, liveTables, definition)
  return {
    async checkpoint() {
      const state = versionOf(database) === definition.version ? rows.state() : undefined
      return state?.isReadable ? state.checkpoint : undefined
    },
    async *documents(collection) {
      const { documents } = rows.tables
      const page = rows.statement(
        `SELECT ${listedColumns}, large FROM ${documents} WHERE collection = ? AND id > ? ORDER BY id LIMIT ${PAGE}`,
      )
      for (let after = ''; ; ) {
        const found = page.all(collection, after)
        const last = found.at(-1)
        if (last === undefined) return
        after = String(last.id)
        yield found.map((row) => rows.stored(collection, row))
      }
    },
    async getMany(collection, ids) {
      return ids.map((id) => rows.document(collection, id)).filter((document) => document !== undefined)
    },
    async [Symbol.asyncDispose]() {
      database.close()
    },
  }
}
