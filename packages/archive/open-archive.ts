import { join } from 'node:path'
import { type DuckDb, type DuckDbOptions, openDuckDb, sqlTexts } from './duckdb.ts'
import { columnNames, eventColumns } from './event-columns.ts'
import { type ArchiveFile, type Manifest, readManifest } from './manifest.ts'

/** An archive, opened for reading: DuckDB with a view `events` over its files. */
export type Archive = DuckDb & { directory: string; manifest: Manifest }

/** Opens an archive while it is written to, or not. @throws Error there is none */
export async function openArchive(
  directory: string,
  options: Pick<DuckDbOptions, 'threads' | 'temporary'> = {},
): Promise<Archive> {
  const manifest = manifestOf(directory)
  const duckDb = await openDuckDb(options)
  await duckDb.connection.run(`CREATE VIEW events AS ${eventsOf(directory, manifest.files)}`)
  return { ...duckDb, directory, manifest }
}

/** @throws Error there is no archive */
export function manifestOf(directory: string): Manifest {
  const manifest = readManifest(directory)
  if (manifest === undefined)
    throw new Error(`there is no archive in ${directory}: npm run history -- export makes one`)
  return manifest
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
