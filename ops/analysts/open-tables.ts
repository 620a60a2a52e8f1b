import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DuckDBConnection } from '@duckdb/node-api'
import { EVENTS, UNFINISHED } from '#packages/history/archive/archive-folder.ts'
import { sqlText, sqlTexts } from '#packages/history/archive/duckdb.ts'
import type { ForgottenMonth } from '#packages/history/archive/manifest.ts'
import { openArchive } from '#packages/history/archive/open-archive.ts'
import { effectsTable } from './assert-only-reads.ts'

const folder = fileURLToPath(new URL('./tables', import.meta.url))

/** The SQL of the tables. README.md in this folder documents them. Each file uses the files before it. */
const schemaSql = (): string =>
  globSync(join(folder, '*.sql'))
    .sort()
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')

/** DuckDB's own memory and threads. More would slow the service on the same machine. */
const MEMORY = '512MB'
const MAX_THREADS = 4

/** Disk space for data that does not fit into DuckDB's memory. */
const MAX_TEMPORARY = '20GB'

/** An archive with its tables. */
export type Tables = AsyncDisposable & { connection: DuckDBConnection }

/**
 * Opens an archive with its tables, for SQL from anybody. DuckDB then reads only the archive's files, loads no
 * extension, has no network, and its settings are locked. `runQuery` refuses statements that could write.
 * @throws Error there is no archive
 */
export async function openTables(directory: string): Promise<Tables> {
  const archive = openArchive(directory)
  const closing = new AsyncDisposableStack()
  const { connection, manifest } = closing.use(await archive)
  const { path: temporary } = closing.use(temporaryFolder())
  await addTables(connection, manifest.forgotten)
  await connection.run(effectsTable)
  // After a crash, some files of the archive may still be in the folder in which they were written.
  const allowed = [EVENTS, UNFINISHED].map((name) => `${join(resolve(directory), name)}/`)
  await connection.run(`
    SET memory_limit = ${sqlText(MEMORY)};
    SET threads = ${Math.min(MAX_THREADS, availableParallelism())};
    SET temp_directory = ${sqlText(temporary)};
    SET max_temp_directory_size = ${sqlText(MAX_TEMPORARY)};
    SET TimeZone = 'UTC';
    SET autoinstall_known_extensions = false;
    SET autoload_known_extensions = false;
    SET allow_community_extensions = false;
    SET allowed_directories = ${sqlTexts(allowed)};
    SET enable_external_access = false;
    SET lock_configuration = true;
  `)
  return { connection, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

/** Creates the tables over the view `events` of an archive. */
export async function addTables(connection: DuckDBConnection, forgotten: readonly ForgottenMonth[]): Promise<void> {
  await connection.run(forgottenTable(forgotten))
  await connection.run(schemaSql())
}

/** A folder that is removed on disposal, and when the process ends: by Ctrl-C, or because its output is closed. */
function temporaryFolder(): Disposable & { path: string } {
  let path: string | undefined
  const remove = (): void => {
    if (path !== undefined) rmSync(path, { recursive: true, force: true })
  }
  // An orderly exit would wait for the running query.
  const end = (signal: NodeJS.Signals): void => {
    remove()
    process.kill(process.pid, signal)
  }
  // Before the folder is there, so that no signal leaves it behind.
  process.once('exit', remove).once('SIGINT', end).once('SIGTERM', end)
  path = mkdtempSync(join(tmpdir(), 'history-sql-'))
  return {
    path,
    [Symbol.dispose]() {
      process.off('exit', remove).off('SIGINT', end).off('SIGTERM', end)
      remove()
    },
  }
}

/** Tables that take long to compute. Each comes after the tables that it uses. */
const computed = ['credits', 'attempts', 'jobs', 'customers', 'subscriptions']

/** Computes the tables once, for many questions. */
export async function computeTables(connection: DuckDBConnection): Promise<void> {
  for (const table of computed)
    await connection.run(
      `CREATE TABLE beneath.${table} AS FROM ${table}; CREATE OR REPLACE VIEW ${table} AS FROM beneath.${table}`,
    )
}

/** The sums over forgotten jobs. Only the manifest of an archive has them. */
function forgottenTable(months: readonly ForgottenMonth[]): string {
  const rows = months.map(
    ({ month, jobs, debited, charged, refunded }) =>
      `INSERT INTO forgotten VALUES (${sqlText(month)}, ${jobs}, ${debited}, ${charged}, ${refunded});`,
  )
  return `CREATE TABLE forgotten (month VARCHAR, jobs BIGINT, debited BIGINT, charged BIGINT, refunded BIGINT);${rows.join('')}`
}
