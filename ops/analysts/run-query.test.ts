import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { writeManifest } from '#packages/history/archive/manifest.ts'
import { manifestOf } from '#packages/history/archive/open-archive.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { madeHistory } from './history.fixture.ts'
import { archiveOf, askedTables, madeArchive } from './tables.harness.ts'

/** SQL and the expected error. DIR stands for the archive's folder. */
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
  'PRAGMA database_list': /only SELECT is run here/,
  // DuckDB replaces the file name by a call of a function that reads such a file
  "FROM 'DIR/_manifest.json'": /disabled by configuration/,
  "FROM '/etc/hosts.csv'": /disabled by configuration/,
  "FROM 'DIR/events/../_manifest.json'": /disabled by configuration/,
  "FROM 'https://example.com/x.parquet'": /disabled by configuration/,
  'FROM nothing': /nothing does not exist/,
}

/** SELECTs that call a function with effects, in any position. */
const refusedCalls: Record<string, string> = {
  'FROM enable_profiling()': 'enable_profiling',
  'FROM "Disable_Optimizer"()': 'disable_optimizer',
  'FROM system.main.enable_logging()': 'enable_logging',
  'FROM range(1), checkpoint()': 'checkpoint',
  'WITH off AS (FROM disable_optimizer()) SELECT 1': 'disable_optimizer',
  'SELECT 1 UNION ALL SELECT count(*) FROM force_checkpoint()': 'force_checkpoint',
  'SELECT 1 WHERE EXISTS (FROM truncate_duckdb_logs())': 'truncate_duckdb_logs',
  'FROM range((SELECT count(*) FROM verify_parallelism()))': 'verify_parallelism',
  "FROM query('DROP VIEW jobs')": 'query',
  "FROM query_table('jobs')": 'query_table',
  "FROM json_execute_serialized_sql(json_serialize_sql('FROM enable_profiling()'))": 'json_execute_serialized_sql',
  "FROM read_text('/etc/hostname')": 'read_text',
  "FROM glob('/*')": 'glob',
  'FROM duckdb_secrets()': 'duckdb_secrets',
  'SELECT setseed(0.5)': 'setseed',
  "SELECT sum(x) FROM (SELECT length(Write_Log('x')) AS x)": 'write_log',
  'FROM jobs ORDER BY sleep_ms(1)': 'sleep_ms',
  // a macro of sleep_ms
  'SELECT pg_sleep(0)': 'pg_sleep',
  "SELECT nextval('x')": 'nextval',
}

describe('runQuery', () => {
  let archive: string
  before(async () => {
    archive = await madeArchive()
  })
  const tables = openedForAll(() => askedTables(archive))

  it('runs one SELECT, which sees only the archive', async () => {
    const manifest = readFileSync(join(archive, '_manifest.json'), 'utf8')
    const files = readdirSync(archive, { recursive: true })
    for (const [sql, message] of Object.entries(refused)) {
      const answer = await tables.ask(sql.replaceAll('DIR', archive)).catch((error: unknown) => String(error))
      expect(answer, sql).to.match(message)
    }
    expect(readdirSync(archive, { recursive: true })).to.deep.equal(files)
    expect(readFileSync(join(archive, '_manifest.json'), 'utf8')).to.equal(manifest)
  })

  it('sees files of an archive that a crash left unplaced', async () => {
    const left = await archiveOf(madeHistory())
    const manifest = manifestOf(left)
    const moves = manifest.files.map(({ path }, index) => ({ from: `_unfinished/${index}.part`, to: path }))
    for (const { from, to } of moves) renameSync(join(left, to), join(left, from))
    writeManifest(left, { ...manifest, moves })
    await using asked = await askedTables(left)
    const count = 'SELECT count(*) AS jobs FROM jobs'
    expect(await asked.ask(count)).to.deep.equal(await tables.ask(count))
  })

  it('refuses a SELECT with effects: settings and DuckDB’s log stay unchanged', async () => {
    const settings = () => tables.ask('SELECT name, value FROM duckdb_settings() ORDER BY name')
    const before = await settings()
    for (const [sql, name] of Object.entries(refusedCalls)) {
      const answer = await tables.ask(sql).catch((error: unknown) => String(error))
      expect(answer, sql).to.equal(`Error: ${name} is not among the functions that may be called here`)
    }
    expect(await settings()).to.deep.equal(before)
  })

  it('runs a reading SELECT, however it is written', async () => {
    const questions = [
      'DESCRIBE jobs',
      'SHOW TABLES',
      'SUMMARIZE jobs',
      'FROM range(3), unnest([1, 2])',
      `SELECT * FROM json_each('{"a": 1}')`,
      'FROM jobs, LATERAL (FROM generate_series(1, 2))',
      'SELECT random() < 2, current_setting($$threads$$), [x + 1 FOR x IN [1, 2]]',
      "PIVOT jobs ON platform IN ('x') USING count(*)",
    ]
    for (const sql of questions) expect(await tables.ask(sql), sql).to.be.an('array')
  })

  it('limits memory, threads and disk, and SQL cannot change that', async () => {
    const [settings] = await tables.ask(
      `SELECT current_setting('memory_limit') AS memory, current_setting('threads') AS threads,
         current_setting('max_temp_directory_size') AS disk, current_setting('lock_configuration') AS locked`,
    )
    expect(settings).to.include({ memory: '488.2 MiB', disk: '18.6 GiB', locked: true })
    expect(settings?.threads).to.be.within(1, 4)
  })

  it('uses a temporary folder of its own, which is removed with it', async () => {
    const own = await askedTables(archive)
    const [row] = await own.ask("SELECT current_setting('temp_directory') AS folder")
    expect(existsSync(String(row?.folder))).to.equal(true)
    await own[Symbol.asyncDispose]()
    expect(existsSync(String(row?.folder))).to.equal(false)
  })

  it('returns numbers that JavaScript can hold as numbers, and others as texts', async () => {
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
