import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type DuckDb, openDuckDb, sqlTexts } from './duckdb.ts'
import { columnNames, eventColumns } from './event-columns.ts'
import { type ArchiveFile, type Manifest, readManifest } from './manifest.ts'

/** An archive, opened for reading: DuckDB with a view `events` over its files. */
export type Archive = Disposable & {
  directory: string
  manifest: Manifest
  connection: DuckDBConnection
}

/** Opens an archive while it is written to, or not. @throws Error there is none */
export async function openArchive(directory: string): Promise<Archive> {
  const manifest = readManifest(directory)
  if (manifest === undefined)
    throw new Error(`there is no archive in ${directory}: npm run history -- export makes one`)
  const duckDb: DuckDb = await openDuckDb()
  const { connection } = duckDb
  await connection.run(`CREATE VIEW events AS ${eventsOf(directory, manifest.files)}`)
  return { directory, manifest, connection, [Symbol.dispose]: () => duckDb[Symbol.dispose]() }
}

/** SQL that gives the events of some files of an archive. */
export function eventsOf(directory: string, files: readonly ArchiveFile[]): string {
  if (files.length === 0) {
    const none = eventColumns.map(({ name, type }) => `NULL::${type} AS ${name}`)
    return `SELECT ${none.join(', ')} WHERE false`
  }
  const paths = files.map(({ path }) => join(directory, path))
  return `SELECT ${columnNames} FROM read_parquet(${sqlTexts(paths)}, hive_partitioning = false)`
}
