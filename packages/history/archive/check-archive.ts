import { existsSync } from 'node:fs'
import { sha256OfFile } from '#packages/foundation/disk/sha256-of-file.ts'
import { openDuckDb, sqlText } from './duckdb.ts'
import { parquetTypes } from './event-columns.ts'
import type { ArchiveFile } from './manifest.ts'
import { type Archive, eventsOf, manifestOf, newerManifest, placeOf } from './open-archive.ts'

/** A problem with a file of an archive. */
export type ArchiveFinding = { file: string; problem: string }

/**
 * Compares the files of an archive with its manifest: their hashes and their events. No event may be in two files.
 * @returns the problems; empty if there are none
 * @throws Error there is no archive
 */
export async function checkArchive(directory: string): Promise<ArchiveFinding[]> {
  const manifest = manifestOf(directory)
  using duckDb = await openDuckDb()
  const findings: ArchiveFinding[] = []
  let before: ArchiveFile | undefined
  for (const file of manifest.files) {
    const problem = overlap(before, file) ?? (await currentProblem({ ...duckDb, directory, manifest }, file))
    if (problem !== undefined) findings.push({ file: file.path, problem })
    before = file
  }
  return findings
}

/** The manifest lists files by month, category and position. */
function overlap(before: ArchiveFile | undefined, file: ArchiveFile): string | undefined {
  const isSame = before !== undefined && before.month === file.month && before.category === file.category
  return isSame && file.first <= before.last ? `begins before ${before.path} ends` : undefined
}

/** An export may have replaced the file by a larger one since. Then a newer manifest has its entry. */
async function currentProblem(archive: Archive, file: ArchiveFile): Promise<string | undefined> {
  const problem = await problemOf(archive, file).catch(String)
  const manifest = problem === undefined ? undefined : newerManifest(archive)
  if (manifest === undefined) return problem
  const newer = manifest.files.find(({ path }) => path === file.path)
  // The newer manifest has no such file: all its events were forgotten.
  return newer && (await currentProblem({ ...archive, manifest }, newer))
}

async function problemOf(archive: Archive, file: ArchiveFile): Promise<string | undefined> {
  const { connection, manifest } = archive
  const path = placeOf(archive, file)
  if (!existsSync(path)) return 'is missing'
  if ((await sha256OfFile(path)) !== file.sha256) return 'has other bytes than were written'
  const columns = await connection.runAndReadAll(
    `DESCRIBE FROM read_parquet(${sqlText(path)}, hive_partitioning = false)`,
  )
  const types = columns.getRowObjectsJS().map((column) => `${column.column_name} ${column.column_type}`)
  if (types.join() !== parquetTypes.join()) return 'has other columns'
  const found = await connection.runAndReadAll(
    `SELECT count(*)::DOUBLE, count(DISTINCT position)::DOUBLE, min(position)::DOUBLE, max(position)::DOUBLE,
       count(*) FILTER (category = '${file.category}' AND strftime(recorded_at, '%Y-%m') = '${file.month}')::DOUBLE
     FROM (${eventsOf(archive, [file])})`,
  )
  const wanted = [file.events, file.events, file.first, file.last, file.events]
  if (found.getRows()[0]?.join() !== wanted.join()) return 'has other events than the manifest says'
  return file.last > manifest.position ? 'has events after the position of the manifest' : undefined
}
