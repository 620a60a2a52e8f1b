import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { copiesOf } from '#packages/history/archive/copies.ts'
import { openDuckDb, sqlText } from '#packages/history/archive/duckdb.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { until } from '#test/doubles/service/until.ts'
import { directoryForEach } from '#test/doubles/temporary-directory.ts'
import { appendGrant } from './granted.fixture.ts'
import { commandOf, contextOf } from './history.harness.ts'
import { tables } from './tables.ts'

describe('npm run history -- tables', function () {
  this.timeout(60_000)
  const folder = directoryForEach()
  let printed: string[]
  let told: string[]
  beforeEach(async () => {
    ;[printed, told] = [[], []]
    await appendGrant(folder.path, 'org-1')
  })

  const run = (line: string, signal = new AbortController().signal): Promise<void> => {
    const print = (text: string): void => void printed.push(text)
    const context = { ...contextOf({ dataDir: folder.path, told }), print }
    return tables(commandOf(`tables ${line}`), context, { signal, pauseMs: 10 })
  }
  const at = (name: string): string => join(folder.path, name)

  async function customersIn(source: string): Promise<unknown[]> {
    using duckDb = await openDuckDb()
    const rows = await duckDb.connection.runAndReadAll(`SELECT org_id FROM ${source} ORDER BY org_id`)
    return rows.getRows().map(([orgId]) => orgId)
  }

  it('writes a DuckDB file, lists the content columns, and notes the file in the archive', async () => {
    await run(`--to ${at('tables.duckdb')}`)
    expect(printed.join()).to.match(/^18 tables are in .*tables.duckdb: 0 jobs, 0 attempts, 1 credits, 1 customers/)
    expect(told.join()).to.contain('without content, so that these columns are left out: ').and.contain('jobs.host')
    expect(copiesOf(at('archive'))).to.deep.equal([at('tables.duckdb')])
  })

  it('follows the history into a folder with files that can be read at any time', async () => {
    const end = new AbortController()
    const following = run(`--to ${at('tables')} --follow --json`, end.signal)
    await until('the tables are written', () => printed.length === 1)
    const customers = `read_parquet(${sqlText(at('tables/customers.parquet'))})`
    expect(await customersIn(customers)).to.deep.equal(['org-1'])
    await appendGrant(folder.path, 'org-2')
    await until('they are written again', () => printed.length === 2)
    expect(await customersIn(customers)).to.deep.equal(['org-1', 'org-2'])
    end.abort()
    await following
    expect(JSON.parse(printed[1] ?? '')).to.deep.include(JSON.parse(readFileSync(at('tables/_tables.json'), 'utf8')))
  })

  it('does not write into the folder of an archive', async () => {
    await run(`--to ${at('tables')}`)
    expect(String(await failureOf(run(`--to ${at('archive')}`)))).to.match(/is the folder of an archive/)
  })

  it('does not follow into a file, because no process could read it', async () => {
    const refused = await failureOf(Promise.resolve().then(() => run(`--to ${at('tables.duckdb')} --follow`)))
    expect(String(refused)).to.match(/--follow needs a folder: a database file cannot be read while it is written/)
  })
})
