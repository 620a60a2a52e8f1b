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

/** The SQL of the tables, which README.md beside it documents: each file uses those before it. */
const schemaSql = (): string =>
  globSync(join(folder, '*.sql'))
    .sort()
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')

/** Memory of DuckDB's own, and threads: more would be taken from the service beside it. */
const MEMORY = '512MB'
const MAX_THREADS = 4

/** Disk for what does not fit into DuckDB's memory. */
const MAX_TEMPORARY = '20GB'

/** An archive with its tables. */
export type Tables = AsyncDisposable & { connection: DuckDBConnection }

/**
 * Opens an archive with its tables, for SQL of anybody: from then on DuckDB reads the files of the archive and no other,
 * loads no extension, reaches no network, and its settings stay as they are. What could write is refused by `runQuery`.
 * @throws Error there is no archive
 */
export async function openTables(directory: string): Promise<Tables> {
  const archive = openArchive(directory)
  const closing = new AsyncDisposableStack()
  const { connection, manifest } = closing.use(await archive)
  const temporary = mkdtempSync(join(tmpdir(), 'history-sql-'))
  closing.use(removedAtEnd(temporary))
  await addTables(connection, manifest.forgotten)
  await connection.run(effectsTable)
  // A crash may have left files of the archive where they were written.
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

/** Makes the tables over the view `events` of an archive. */
export async function addTables(connection: DuckDBConnection, forgotten: readonly ForgottenMonth[]): Promise<void> {
  await connection.run(forgottenTable(forgotten))
  await connection.run(schemaSql())
}

/** Removes a folder when it is disposed of, and when the process ends: by Ctrl-C, or as nobody reads its output. */
function removedAtEnd(folder: string): Disposable {
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  // An orderly exit would wait for a query that is under way.
  const end = (signal: NodeJS.Signals): void => {
    remove()
    process.kill(process.pid, signal)
  }
  process.once('exit', remove).once('SIGINT', end).once('SIGTERM', end)
  return {
    [Symbol.dispose]() {
      process.off('exit', remove).off('SIGINT', end).off('SIGTERM', end)
      remove()
    },
  }
}

/** Tables that take long to compute, each after those that it is made of. */
const computed = ['credits', 'attempts', 'jobs', 'customers', 'subscriptions']

/** Computes the tables once, for many questions. */
export async function computeTables(connection: DuckDBConnection): Promise<void> {
  for (const table of computed)
    await connection.run(
      `CREATE TABLE beneath.${table} AS FROM ${table}; CREATE OR REPLACE VIEW ${table} AS FROM beneath.${table}`,
    )
}

/** The sums of what was forgotten, which only the manifest of an archive has. */
function forgottenTable(months: readonly ForgottenMonth[]): string {
  const rows = months.map(
    ({ month, jobs, debited, charged, refunded }) =>
      `INSERT INTO forgotten VALUES (${sqlText(month)}, ${jobs}, ${debited}, ${charged}, ${refunded});`,
  )
  return `CREATE TABLE forgotten (month VARCHAR, jobs BIGINT, debited BIGINT, charged BIGINT, refunded BIGINT);${rows.join('')}`
}
