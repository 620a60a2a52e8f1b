import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describeViews } from '#packages/ports/views.contract.ts'
import { describeLoss } from '#packages/ports/views-loss.contract.ts'
import { describeRebuild } from '#packages/ports/views-rebuild.contract.ts'
import { systemClock } from '../system/clock.ts'
import { openSqliteViews } from './views.ts'

describeViews('SqliteViews', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'views-'))
  const origin = { id: 'events-1', lastPosition: Number.MAX_SAFE_INTEGER }
  return {
    open: () => openSqliteViews({ path: join(folder, 'views.sqlite'), clock: systemClock, origin }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
})

describeRebuild('SqliteViews', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'views-'))
  return {
    open: () => openSqliteViews({ path: join(folder, 'views.sqlite'), clock: systemClock }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
})

describeLoss('SqliteViews', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'views-'))
  const path = join(folder, 'views.sqlite')
  /** As an operator does with a program of his own. */
  const change = (sql: string): void => {
    const database = new DatabaseSync(path)
    database.exec(sql)
    database.close()
  }
  const tables = ['documents', 'checkpoints', 'state', 'notes']
  return {
    open: () => openSqliteViews({ path, clock: systemClock }),
    empty: async () => change(tables.map((table) => `DELETE FROM ${table}`).join(';')),
    drop: async (collection) => change(`DELETE FROM documents WHERE collection = '${collection}'`),
    async copy() {
      const copy = join(folder, 'copy.sqlite')
      change(`VACUUM INTO '${copy}'`)
      const put = (table: string, which: string): string =>
        `DELETE FROM ${table} WHERE ${which}; INSERT INTO ${table} SELECT * FROM copy.${table} WHERE ${which};`
      return async (collection) => {
        const all = tables.map((table) => put(table, '1'))
        const sql = collection === undefined ? all.join('') : put('documents', `collection = '${collection}'`)
        change(`ATTACH '${copy}' AS copy; ${sql}`)
      }
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
})
