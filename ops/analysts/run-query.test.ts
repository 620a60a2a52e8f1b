import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type AskedTables, askedTables, madeArchive } from './tables.harness.ts'

/** SQL, in which DIR is the archive's folder, and what is said of it. */
const refused: Record<string, RegExp> = {
  "COPY (SELECT 1) TO 'DIR/events/x.csv'": /only SELECT is run here, not COPY/,
  'CREATE TABLE mine (a INT)': /not CREATE/,
  'DROP VIEW jobs': /not DROP/,
  "INSERT INTO forgotten VALUES ('2026-01', 1, 1, 1, 1) RETURNING *": /not INSERT/,
  "ATTACH 'DIR/x.db'": /not ATTACH/,
  "SET memory_limit = '100GB'": /not SET/,
  'INSTALL httpfs': /not LOAD/,
  'EXPLAIN ANALYZE SELECT 1': /not EXPLAIN/,
  "SELECT 1; COPY (SELECT 1) TO 'DIR/events/x.csv'": /one SELECT is expected, not 2/,
  ' ': /the question is empty/,
  "FROM query('DROP VIEW jobs')": /Expected a single SELECT/,
  "FROM read_text('/etc/hostname')": /disabled by configuration/,
  "FROM glob('/*')": /disabled by configuration/,
  "FROM read_text('DIR/manifest.json')": /disabled by configuration/,
  "FROM read_text('DIR/events/../manifest.json')": /disabled by configuration/,
  "FROM 'https://example.com/x.parquet'": /disabled by configuration/,
  'FROM duckdb_secrets()': /disabled by configuration/,
  'FROM nothing': /nothing does not exist/,
}

describe('runQuery', () => {
  let archive: string
  let tables: AskedTables
  before(async () => {
    archive = await madeArchive()
    tables = await askedTables(archive)
  })
  after(() => tables[Symbol.asyncDispose]())

  it('runs one SELECT, which sees the archive and nothing else', async () => {
    const manifest = readFileSync(join(archive, 'manifest.json'), 'utf8')
    const files = readdirSync(archive, { recursive: true })
    for (const [sql, message] of Object.entries(refused)) {
      const answer = await tables.ask(sql.replaceAll('DIR', archive)).catch((error: unknown) => String(error))
      expect(answer, sql).to.match(message)
    }
    expect(readdirSync(archive, { recursive: true })).to.deep.equal(files)
    expect(readFileSync(join(archive, 'manifest.json'), 'utf8')).to.equal(manifest)
  })

  it('has limits of memory, threads and disk, which SQL does not change', async () => {
    const [settings] = await tables.ask(
      `SELECT current_setting('memory_limit') AS memory, current_setting('threads') AS threads,
         current_setting('max_temp_directory_size') AS disk, current_setting('lock_configuration') AS locked`,
    )
    expect(settings).to.include({ memory: '488.2 MiB', disk: '18.6 GiB', locked: true })
    expect(settings?.threads).to.be.within(1, 4)
  })

  it('has a folder of its own for what does not fit into memory, which goes with it', async () => {
    const own = await askedTables(archive)
    const [row] = await own.ask("SELECT current_setting('temp_directory') AS folder")
    expect(existsSync(String(row?.folder))).to.equal(true)
    await own[Symbol.asyncDispose]()
    expect(existsSync(String(row?.folder))).to.equal(false)
  })

  it('gives numbers as numbers while JavaScript can hold them, and else as texts', async () => {
    const rows = await tables.ask(
      `SELECT 1::BIGINT AS small, 9007199254740993 AS large, 1.25 AS decimal, 'NaN'::DOUBLE AS none,
         TIMESTAMP '2026-01-31 12:00:00.5' AS time, [1, NULL] AS list, {a: 'x'} AS struct, INTERVAL 2 DAYS AS span`,
    )
    expect(rows).to.deep.equal([
      {
        ...{ small: 1, large: '9007199254740993', decimal: 1.25, none: 'NaN' },
        ...{ time: '2026-01-31 12:00:00.5', list: [1, null], struct: { a: 'x' }, span: '2 days' },
      },
    ])
  })
})
