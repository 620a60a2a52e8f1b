import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { replaceFile } from '#packages/foundation/disk/replace-file.ts'
import { syncToDisk } from '#packages/foundation/disk/sync-to-disk.ts'
import { sqlText, sqlTexts } from '#packages/history/archive/duckdb.ts'
import { type Archive, readArchive } from '#packages/history/archive/open-archive.ts'
import { contentColumns } from './event-fields.ts'
import { addTables, computeTables } from './open-tables.ts'

/** The written tables: all except `events`, which the archive has. */
export const writtenTables = [
  ...['jobs', 'steps', 'attempts', 'credits', 'customers', 'keys', 'videos', 'batches', 'batch_items', 'watches'],
  ...['watch_videos', 'webhooks', 'deliveries', 'requests', 'subscriptions', 'plans', 'forgotten'],
  'history',
] as const

/** The result of a write. */
export type WrittenTables = {
  /** Rows by table. */
  rows: Record<string, number>
  /** Columns such as `jobs.host` that need an archive with content. Empty if the archive has content. */
  withoutContent: readonly string[]
  /** The position of the last included event of the archive. */
  position: number
}

/** A note about the tables in a folder. Parquet readers ignore files with such a name. */
const ABOUT = '_tables.json'

/**
 * Writes the tables of an archive into one DuckDB file, or as one Parquet file each. Each file is replaced atomically.
 * @param to a file name that ends with `.duckdb`, or a folder
 */
export async function writeTables(archiveFolder: string, to: string): Promise<WrittenTables> {
  const temporary = mkdtempSync(join(tmpdir(), 'history-tables-'))
  try {
    return await readArchive(archiveFolder, { temporary }, (archive) => writeAll(archive, resolve(to)))
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

async function writeAll({ connection, manifest }: Archive, target: string): Promise<WrittenTables> {
  await connection.run("SET TimeZone = 'UTC'")
  await addTables(connection, manifest.forgotten)
  await computeTables(connection)
  const withoutContent = manifest.withContent ? [] : contentColumns
  const write = isDatabase(target) ? writeDatabase : writeFolder
  const rows = await write(connection, target, withoutContent)
  const written = { rows, withoutContent, position: manifest.position }
  if (!isDatabase(target)) replaceFile(join(target, ABOUT), `${JSON.stringify(written, null, 1)}\n`)
  return written
}

/** Whether the tables go into one file. While it is written, no other process can read it. */
const isDatabase = (to: string): boolean => to.endsWith('.duckdb')

type Write = (
  connection: DuckDBConnection,
  target: string,
  withoutContent: readonly string[],
) => Promise<Record<string, number>>

/** Times are plain TIMESTAMPs in UTC, so that a question's months are the same in every session. */
const writeDatabase: Write = async (connection, file, withoutContent) => {
  const unfinished = `${file}.new`
  for (const left of [unfinished, `${unfinished}.wal`]) rmSync(left, { force: true })
  try {
    await connection.run(`ATTACH ${sqlText(unfinished)} AS written`)
    const rows: Record<string, number> = {}
    for (const table of writtenTables) {
      await connection.run(`CREATE TABLE written.${table} AS ${await selectOf(connection, table, withoutContent)}`)
      rows[table] = await countOf(connection, `written.${table}`)
    }
    for (const macro of await macrosOf(connection)) await connection.run(macro)
    await connection.run('DETACH written')
    place(unfinished, file)
    return rows
  } finally {
    for (const left of [unfinished, `${unfinished}.wal`]) rmSync(left, { force: true })
  }
}

/** The macros that the questions call. */
async function macrosOf(connection: DuckDBConnection): Promise<string[]> {
  const found = await connection.runAndReadAll(
    `SELECT function_name, parameters, macro_definition FROM duckdb_functions()
     WHERE function_type = 'macro' AND NOT internal AND schema_name = 'main' AND database_name = current_database()`,
  )
  return found.getRowObjectsJson().map(({ function_name, parameters, macro_definition }) => {
    const names = (parameters as string[]).join(', ')
    return `CREATE MACRO written.${function_name}(${names}) AS ${macro_definition}`
  })
}

/** Times carry UTC as their time zone. */
const writeFolder: Write = async (connection, folder, withoutContent) => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const rows: Record<string, number> = {}
  for (const table of writtenTables) {
    const unfinished = join(folder, `_${table}.part`)
    try {
      const select = await selectOf(connection, table, withoutContent, true)
      await connection.run(`COPY (${select}) TO ${sqlText(unfinished)} (FORMAT parquet, COMPRESSION zstd)`)
      rows[table] = await countOf(connection, `read_parquet(${sqlText(unfinished)})`)
      place(unfinished, join(folder, `${table}.parquet`))
    } finally {
      rmSync(unfinished, { force: true })
    }
  }
  return rows
}

/** Replaces the file atomically: a reader gets the old file or the new one. Only its owner may read it. */
function place(unfinished: string, file: string): void {
  chmodSync(unfinished, 0o600)
  syncToDisk(unfinished)
  renameSync(unfinished, file)
}

async function selectOf(
  connection: DuckDBConnection,
  table: string,
  withoutContent: readonly string[],
  saysUtc = false,
): Promise<string> {
  const found = await connection.runAndReadAll(
    `SELECT column_name, data_type FROM duckdb_columns() WHERE schema_name = 'main' AND table_name = ${sqlText(table)}
       AND NOT list_contains(${sqlTexts(withoutContent)}, table_name || '.' || column_name) ORDER BY column_index`,
  )
  const columns = found.getRows().map(([name, type]) => {
    const isTime = saysUtc && type === 'TIMESTAMP'
    return isTime ? `make_timestamptz(epoch_us("${name}")) AS "${name}"` : `"${name}"`
  })
  return `SELECT ${columns.join(', ')} FROM main.${table}`
}

async function countOf(connection: DuckDBConnection, table: string): Promise<number> {
  const found = await connection.runAndReadAll(`SELECT count(*)::DOUBLE FROM ${table}`)
  return Number(found.getRows()[0]?.[0])
}
