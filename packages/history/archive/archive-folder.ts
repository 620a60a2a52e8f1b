import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { syncToDisk } from '#packages/foundation/disk/sync-to-disk.ts'
import { type DuckDb, openDuckDb } from './duckdb.ts'
import { type ArchiveFile, MANIFEST, type Move } from './manifest.ts'

/** The folder for unfinished files, in the folder of an archive. They never count. */
export const UNFINISHED = '_unfinished'

/** The folder that holds the Parquet files that count, and nothing else. */
export const EVENTS = 'events'
export const LOCK = '_export.lock'

/** DuckDB's limit: it writes one row group at a time. */
const MEMORY = '128MB'

/**
 * Opens DuckDB to write into an archive, and makes the folder if it is missing. DuckDB's own file in it is the lock.
 * The lock ends when DuckDB is closed, or with the process. DuckDB sets no file mode: the umask of the process applies,
 * which its entry point sets.
 * @throws ArchiveInUseError another process writes into it
 * @throws Error it has files, but is no archive
 */
export async function openArchiveFolder(directory: string): Promise<DuckDb> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const isOurs = [MANIFEST, LOCK].some((name) => existsSync(join(directory, name)))
  if (!isOurs && readdirSync(directory).length > 0)
    throw new Error(`${directory} has other files, and is no archive of this version: take an empty folder`)
  // A new archive gets its manifest first. Without a manifest it is unknown which files count.
  if (!existsSync(join(directory, MANIFEST)) && parquetIn(directory).length > 0)
    throw new Error(`${directory} has Parquet files, but no ${MANIFEST}: put it back, or take an empty folder`)
  // Earlier versions made it readable by all users.
  if (existsSync(join(directory, LOCK))) chmodSync(join(directory, LOCK), 0o600)
  const temporary = join(directory, UNFINISHED)
  try {
    // One thread: another one reads the events and makes the lines at the same time.
    return await openDuckDb({ path: join(directory, LOCK), temporary, threads: 1, memory: MEMORY })
  } catch (error) {
    if (!String(error).includes('lock on file')) throw error
    throw new ArchiveInUseError(directory, { cause: error })
  }
}

export class ArchiveInUseError extends Error {
  readonly code = 'archive_in_use'
  constructor(directory: string, options: ErrorOptions) {
    super(`another export writes into ${directory}`, options)
  }
}

/** Moves files to their places. Each move is atomic: a reader of the folder sees the old file or the new one. */
export function moveFiles(directory: string, moves: readonly Move[]): void {
  for (const { from, to } of moves) {
    // A run that crashed has already moved it.
    if (!existsSync(join(directory, from))) continue
    mkdirSync(dirname(join(directory, to)), { recursive: true, mode: 0o700 })
    renameSync(join(directory, from), join(directory, to))
  }
  for (const folder of new Set(moves.map(({ to }) => dirname(to)))) syncToDisk(join(directory, folder))
}

/** Removes what a crash has left: unfinished files, and files that the manifest does not name. */
export function removeUnnamed(directory: string, named: readonly ArchiveFile[]): void {
  rmSync(join(directory, UNFINISHED), { recursive: true, force: true })
  mkdirSync(join(directory, UNFINISHED), { mode: 0o700 })
  const paths = new Set(named.map(({ path }) => path))
  for (const path of parquetIn(directory)) if (!paths.has(path)) rmSync(join(directory, path))
}

/** Paths relative to the folder of the archive. */
function parquetIn(directory: string): string[] {
  if (!existsSync(join(directory, EVENTS))) return []
  const entries = readdirSync(join(directory, EVENTS), { recursive: true, encoding: 'utf8' })
  return entries.filter((entry) => entry.endsWith('.parquet')).map((entry) => `${EVENTS}/${entry}`)
}
