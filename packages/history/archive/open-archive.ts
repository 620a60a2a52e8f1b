import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type DuckDb, type DuckDbOptions, openDuckDb, sqlTexts } from './duckdb.ts'
import { columnsOfParquet, eventColumns } from './event-columns.ts'
import { type ArchiveFile, type Manifest, readManifest } from './manifest.ts'

/** An archive, opened for reading: DuckDB with a view `events` over its files. */
export type Archive = DuckDb & { directory: string; manifest: Manifest }

/**
 * Opens an archive while it is written to, or not. What is forgotten replaces its files: where one of them is gone before
 * it was opened, a newer manifest names the others.
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

/** @returns false where the archive has a newer manifest @throws Error a file cannot be read, and there is no newer one */
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

/** The manifest that an archive has meanwhile; undefined where it is as it was opened. @throws Error there is none */
export function newerManifest({ directory, manifest }: Pick<Archive, 'directory' | 'manifest'>): Manifest | undefined {
  const newest = manifestOf(directory)
  return isDeepStrictEqual(newest, manifest) ? undefined : newest
}

/**
 * SQL that gives the events of an archive as it was when its manifest was read, or of some of its files. A file that is not
 * full is replaced by a larger one at the same path: what that has more is left out.
 */
export function eventsOf(archive: Pick<Archive, 'directory' | 'manifest'>, files = archive.manifest.files): string {
  const paths = files.map((file) => placeOf(archive, file))
  return `SELECT * FROM (${eventsIn(paths)}) WHERE position <= ${archive.manifest.position}`
}

/** The path of a file of an archive, also where a crash has left it beside its place. */
export function placeOf(
  { directory, manifest }: Pick<Archive, 'directory' | 'manifest'>,
  { path }: ArchiveFile,
): string {
  const move = manifest.moves.find(({ to }) => to === path)
  return join(directory, move !== undefined && existsSync(join(directory, move.from)) ? move.from : path)
}

/** SQL that gives the events of Parquet files. */
export function eventsIn(paths: readonly string[]): string {
  if (paths.length === 0) {
    const none = eventColumns.map(({ name, type }) => `NULL::${type} AS ${name}`)
    return `SELECT ${none.join(', ')} WHERE false`
  }
  return `SELECT ${columnsOfParquet} FROM read_parquet(${sqlTexts(paths)}, hive_partitioning = false)`
}

/**
 * Reads an archive by `read`, while it is written to or not: once more where files that it had when it was opened are gone
 * since, because what they held is forgotten.
 * @throws Error there is none, it is damaged, or what `read` throws
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
