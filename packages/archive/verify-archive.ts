import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sqlText } from './duckdb.ts'
import type { ArchiveFile } from './manifest.ts'
import type { Archive } from './open-archive.ts'
import { sha256OfFile } from './parquet-files.ts'

/** A file of an archive that is not what its manifest says. */
export type ArchiveFinding = { file: string; problem: string }

/** Compares every file that the manifest names with it. @param tell called after each file */
export async function verifyArchiveFiles(
  { directory, manifest, connection }: Archive,
  tell: (done: number) => void = () => {},
): Promise<ArchiveFinding[]> {
  const findings: ArchiveFinding[] = []
  for (const [index, file] of manifest.files.entries()) {
    const problem = await problemOf({ directory, manifest, connection }, file)
    if (problem !== undefined) findings.push({ file: file.path, problem })
    tell(index + 1)
  }
  return findings
}

async function problemOf(
  { directory, manifest, connection }: Pick<Archive, 'directory' | 'manifest' | 'connection'>,
  { path, sha256, events, first, last }: ArchiveFile,
): Promise<string | undefined> {
  const file = join(directory, path)
  if (!existsSync(file)) return 'it is missing'
  if ((await sha256OfFile(file)) !== sha256) return 'it is not what was written: it has another SHA-256'
  const found = await connection.runAndReadAll(
    `SELECT count(*)::DOUBLE, min(position)::DOUBLE, max(position)::DOUBLE FROM read_parquet(${sqlText(file)})`,
  )
  const [count, from, to] = found.getRows()[0] ?? []
  if (count !== events || from !== first || to !== last)
    return `it has ${count} events from ${from} to ${to}, and the manifest says ${events} from ${first} to ${last}`
  return last > manifest.position ? `it goes beyond position ${manifest.position}, where the archive ends` : undefined
}
