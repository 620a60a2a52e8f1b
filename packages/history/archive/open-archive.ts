import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type DuckDb, type DuckDbOptions, openDuckDb, sqlTexts } from './duckdb.ts'
import { columnsOfParquet, eventColumns } from './event-columns.ts'
import { type ArchiveFile, type Manifest, readManifest } from './manifest.ts'

/** An archive that is open for reading: DuckDB with a view `events` over its files. */
export type Archive = DuckDb & { directory: string; manifest: Manifest }

/**
 * Opens an archive, even while an export writes to it. An export that forgets streams replaces files. If a file
 * disappears before it is opened, a newer manifest names its successor.
 * @throws Error there is none, or it is damaged
 */
export async function openArchive(
  directory: string,
  options: Pick<DuckDbOptions, 'threads' | 'temporary'> = {},
): Promise<Archive> {
  let manifest = manifestOf(directory)
  using opening = new DisposableStack()
  const duckDb = opening.use(await openDuckDb(options))
  while (!(await hasView(duckDb, directory, manifest))) manifest = manifestOf(directory)
  opening.move()
  return { ...duckDb, directory, manifest }
}

/**
 * @returns false if the archive has a newer manifest
 * @throws Error a file cannot be read, and there is no newer manifest
 */
async function hasView({ connection }: DuckDb, directory: string, manifest: Manifest): Promise<boolean> {
  try {
    await connection.run(`CREATE VIEW events AS ${eventsOf({ directory, manifest })}`)
    return true
  } catch (error) {
    if (newerManifest({ directory, manifest }) === undefined) throw error
    return false
  }
}

/** @throws Error there is no archive */
export function manifestOf(directory: string): Manifest {
  const manifest = readManifest(directory)
  if (manifest === undefined)
    throw new Error(`there is no archive in ${directory}: npm run history -- export makes one`)
  return manifest
}

/**
 * The present manifest of an archive. Undefined if it has not changed since the archive was opened.
 * @throws Error there is none
 */
export function newerManifest({ directory, manifest }: Pick<Archive, 'directory' | 'manifest'>): Manifest | undefined {
  const newest = manifestOf(directory)
  return isDeepStrictEqual(newest, manifest) ? undefined : newest
}

/**
 * SQL that selects the events of an archive as of its manifest, or of some of its files. An export may since have
 * replaced a file by a larger one at the same path: the additional events are left out.
 */
export function eventsOf(archive: Pick<Archive, 'directory' | 'manifest'>, files = archive.manifest.files): string {
  const paths = files.map((file) => placeOf(archive, file))
  return `SELECT * FROM (${eventsIn(paths)}) WHERE position <= ${archive.manifest.position}`
}

/** The path of a file of an archive, even if a crash has left it unmoved. */
export function placeOf(
  { directory, manifest }: Pick<Archive, 'directory' | 'manifest'>,
  { path }: ArchiveFile,
): string {
  const move = manifest.moves.find(({ to }) => to === path)
  return join(directory, move !== undefined && existsSync(join(directory, move.from)) ? move.from : path)
}

/** SQL that selects the events of Parquet files. */
export function eventsIn(paths: readonly string[]): string {
  if (paths.length === 0) {
    const none = eventColumns.map(({ name, type }) => `NULL::${type} AS ${name}`)
    return `SELECT ${none.join(', ')} WHERE false`
  }
  return `SELECT ${columnsOfParquet} FROM read_parquet(${sqlTexts(paths)}, hive_partitioning = false)`
}

/**
 * Calls `read` with an archive, even while an export writes to it. Calls it again if files were replaced since the
 * archive was opened, because streams in them were forgotten.
 * @throws Error there is no archive, it is damaged, or what `read` throws
 */
export async function readArchive<T>(
  directory: string,
  options: Pick<DuckDbOptions, 'threads' | 'temporary'>,
  read: (archive: Archive) => Promise<T>,
): Promise<T> {
  for (;;) {
    using archive = await openArchive(directory, options)
    try {
      return await read(archive)
    } catch (error) {
      if (newerManifest(archive) === undefined) throw error
    }
  }
}
