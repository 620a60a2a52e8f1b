import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { describeViews } from '#packages/ports/views.contract.ts'
import { ViewsUnreadableError, viewsProblem } from '#packages/ports/views.ts'
import { describeLoss } from '#packages/ports/views-loss.contract.ts'
import { describeRebuild } from '#packages/ports/views-rebuild.contract.ts'
import { describeRemovals } from '#packages/ports/views-removal.contract.ts'
import { sampleViews as definition } from '#packages/ports/views-samples.contract.ts'
import { openBeside } from '#test/doubles/open-beside.ts'
import { fileOfEachTest, temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { systemClock } from '../system/clock.ts'
import { openSqliteViews, type SqliteViewsOptions } from './views.ts'

const origin = { id: 'events-1', lastPosition: Number.MAX_SAFE_INTEGER }

const fixtureWith = (options: Partial<SqliteViewsOptions>) => async () => {
  const folder = await temporaryDirectory()
  const path = join(folder.path, 'views.sqlite')
  return { ...folder, open: () => openSqliteViews({ path, clock: systemClock, definition, ...options }) }
}

describeViews('SqliteViews', fixtureWith({ origin }))
describeRemovals('SqliteViews', fixtureWith({ origin }))
describeRebuild('SqliteViews', fixtureWith({}))

describe('a list of documents in the file', () => {
  const at = fileOfEachTest('views.sqlite')

  it('reads no page of the file that has only large fields', async () => {
    const { path } = at
    const open = () => openSqliteViews({ path, clock: systemClock, definition })
    const where = { orgId: ['org'], kind: ['transcript'], listedAs: ['completed'] }
    const listed = { orgId: 'org', kind: 'transcript', listedAs: 'completed', url: 'https://cdn.example.com/a.mp4' }
    const ids = Array.from({ length: 20 }, (_, n) => `job-${n}`)
    {
      await using views = await open()
      await views.begin()
      await views.makeReadable()
      const writes = ids.map((id, n) => {
        const fields = { ...listed, requestedAt: n, result: '\u0001'.repeat(100_000) }
        return { collection: 'jobs', id, position: n + 1, fields }
      })
      await views.apply(writes, { position: ids.length, checkpoint: ids.length })
    }
    const bytes = await readFile(path)
    const isLarge = (page: Buffer): boolean => page.subarray(8).every((byte) => byte === 1)
    let wiped = 0
    for (let at = 0; at < bytes.length; at += 4096) {
      const page = bytes.subarray(at, at + 4096)
      if (isLarge(page)) wiped += page.fill(0).length
    }
    expect(wiped).to.be.above(1_500_000)
    await writeFile(path, bytes)
    await using views = await open()
    const found = await views.page('jobs', { where, by: 'requestedAt', limit: 20 })
    expect(found.map(({ id }) => id)).to.deep.equal(ids.toReversed())
    expect(found[0]).to.deep.equal({ ...listed, id: 'job-19', position: 20, requestedAt: 19 })
    // A read of the field itself notices that it is not what was written.
    const error = await views.get('jobs', 'job-19').catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(ViewsUnreadableError)
    expect(await views.problem()).to.equal(viewsProblem)
  })
})

const losable = async () => {
  const folder = await temporaryDirectory()
  const path = join(folder.path, 'views.sqlite')
  /** Changes the file as an operator would with another program. */
  const change = (sql: string): void => {
    const database = openBeside(path)
    database.exec(sql)
    database.close()
  }
  const tables = ['documents', 'state', 'notes']
  return {
    ...folder,
    open: () => openSqliteViews({ path, clock: systemClock, definition, origin }),
    empty: async () => change(tables.map((table) => `DELETE FROM ${table}`).join(';')),
    async copy() {
      const copy = join(folder.path, `${randomUUID()}.sqlite`)
      change(`VACUUM INTO '${copy}'`)
      const put = tables.map((table) => `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM copy.${table}`)
      return async () => change(`ATTACH '${copy}' AS copy; ${put.join(';')}`)
    },
    async exchange() {
      const other = join(folder.path, `${randomUUID()}.sqlite`)
      {
        await using views = await openSqliteViews({
          path: other,
          clock: systemClock,
          definition,
          origin: { ...origin, id: 'others' },
        })
        await views.begin()
        await views.apply([], { position: 99 })
        await views.putNote('theirs', {})
        await views.makeReadable()
      }
      const put = tables.map((table) => `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM other.${table}`)
      change(`ATTACH '${other}' AS other; ${put.join(';')}`)
    },
  }
}

describeLoss('SqliteViews', losable)
