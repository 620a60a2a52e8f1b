import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { openDuckDb, sqlText } from '#packages/history/archive/duckdb.ts'
import { readAsAnalysts, withParquetReaders } from '#test/doubles/parquet-readers.ts'
import { directoryForAll } from '#test/doubles/temporary-directory.ts'
import { contentColumns } from './event-fields.ts'
import { madeHistory } from './history.fixture.ts'
import { archiveOf, askedTables, madeArchive } from './tables.harness.ts'
import { type WrittenTables, writeTables, writtenTables } from './write-tables.ts'

const some = madeHistory().slice(0, 4000)

describe('tables for other programs', function () {
  this.timeout(120_000)
  const folder = directoryForAll()
  let withContent: string
  before(async () => {
    withContent = await archiveOf(some, true)
  })
  const at = (name: string): string => join(folder.path, name)

  it('cover all tables except the events', async () => {
    await using tables = await askedTables(await madeArchive())
    const found = await tables.ask(
      "SELECT DISTINCT table_name AS name FROM duckdb_columns() WHERE schema_name = 'main' AND NOT internal",
    )
    const names = found.map(({ name }) => String(name)).filter((name) => name !== 'events')
    expect([...writtenTables].sort()).to.deep.equal(names.sort())
  })

  it('in a folder: one Parquet file each, with times in UTC, each replaced atomically', async () => {
    await using tables = await askedTables(withContent)
    const [jobs] = await tables.ask('SELECT count(*) AS jobs, sum(charged)::BIGINT AS charged FROM jobs')
    const first = await writeTables(withContent, at('first'))
    using duckDb = await openDuckDb()
    const sums = `SELECT count(*)::INTEGER AS jobs, sum(charged)::INTEGER AS charged FROM read_parquet(${sqlText(at('first/jobs.parquet'))})`
    const asked = async () => (await duckDb.connection.runAndReadAll(sums)).getRowObjectsJS()
    const reading = await duckDb.connection.stream(`FROM read_parquet(${sqlText(at('first/attempts.parquet'))})`)
    expect(await writeTables(withContent, at('first'))).to.deep.equal(first)
    let read = 0
    for await (const rows of reading) read += rows.rowCount
    expect(read, 'read while it was replaced').to.equal(first.rows.attempts)
    expect(await asked()).to.deep.equal([jobs])
    expect(readdirSync(at('first')).sort()).to.deep.equal(
      ['_tables.json', ...writtenTables.map((table) => `${table}.parquet`)].sort(),
    )
    const types = await duckDb.connection.runAndReadAll(
      `SELECT column_type FROM (DESCRIBE FROM read_parquet(${sqlText(at('first/jobs.parquet'))})) WHERE column_name = 'requested_at'`,
    )
    expect(types.getRows()).to.deep.equal([['TIMESTAMP WITH TIME ZONE']])
  })

  it('from an archive without content: lack the content columns, and say which', async () => {
    const columnsOf = async (file: string): Promise<string[]> => {
      using duckDb = await openDuckDb()
      const found = await duckDb.connection.runAndReadAll(`DESCRIBE FROM read_parquet(${sqlText(file)})`)
      return found.getRows().map(([name]) => String(name))
    }
    const without = await writeTables(await archiveOf(some), at('without'))
    const whole: WrittenTables = await writeTables(withContent, at('whole'))
    expect([without.withoutContent, whole.withoutContent]).to.deep.equal([contentColumns, []])
    expect(await columnsOf(at('whole/jobs.parquet'))).to.include('host')
    expect(await columnsOf(at('without/jobs.parquet')))
      .to.include('url')
      .and.not.include('host')
  })

  withParquetReaders(() =>
    it('can be read by pandas, pyarrow and polars', async () => {
      const { rows } = await writeTables(withContent, at('read'))
      const tables = { jobs: 'attempts', attempts: 'attempt', credits: 'amount', requests: 'requests' }
      const found = await readAsAnalysts(
        Object.entries(tables).map(([table, column]) => [at(`read/${table}.parquet`), column] as const),
      )
      for (const [index, table] of Object.keys(tables).entries())
        for (const [reader, seen] of Object.entries(found[index] ?? {}))
          expect(seen.rows, `${table} by ${reader}`).to.equal(rows[table])
      expect(found[0]?.pandas?.columns.requested_at).to.equal('datetime64[us, UTC]')
    }),
  )
})
