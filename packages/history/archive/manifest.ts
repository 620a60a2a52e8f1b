import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { otherFormat, storeFormat } from '#packages/events/format/store-format.ts'
import { replaceFile } from '#packages/foundation/disk/replace-file.ts'

/** A Parquet file of an archive. */
export type ArchiveFile = {
  /** Below the folder of the archive: `events/2026-11/job/POSITION.parquet`, of the first event that it was begun with. */
  path: string
  /** `2026-11`, of the time of recording in UTC. */
  month: string
  category: string
  /** Positions of its first and its last event. */
  first: number
  last: number
  events: number
  /** How much it holds, in characters of JSON before compression. */
  size: number
  sha256: string
}

/** What forgotten jobs of a month have cost, in credits: all that is left of them. */
export type ForgottenMonth = { month: string; jobs: number; debited: number; charged: number; refunded: number }

/** The first event that an archive has: of a position, or recorded at an instant, milliseconds since 1970. */
export type ArchiveStart = { position: number } | { instant: number }

/** A whole file that is to take its place, by paths below the folder of the archive. */
export type Move = { from: string; to: string }

/** What an archive holds. A file that is not named here does not count: a crash has left it. */
export type Manifest = {
  /** {@link storeFormat} */
  format: number
  /** The id of the event file; null where the events are on a server. */
  origin: string | null
  /** Whether personal data is in it. */
  withContent: boolean
  /** Null: the beginning. */
  from: ArchiveStart | null
  /** Every event up to this position is in it, but those of streams that are forgotten. */
  position: number
  /** Versions of what wrote it. The bytes of a file depend on DuckDB's. */
  writtenBy: { program: string; duckdb: string }
  /** By month, category and position. */
  files: readonly ArchiveFile[]
  /** Files of `files` that a crash may have left where they were written. */
  moves: readonly Move[]
  forgotten: readonly ForgottenMonth[]
}

/** Whoever reads a folder of Parquet files leaves out names that begin so. */
export const MANIFEST = '_manifest.json'

/** The manifest of an archive; undefined where there is none. @throws Error it is damaged, or of another format */
export function readManifest(directory: string): Manifest | undefined {
  const path = join(directory, MANIFEST)
  if (!existsSync(path)) return undefined
  const manifest = parsed(path)
  if (typeof manifest?.format !== 'number') throw new Error(`${path} is damaged: it is no manifest`)
  // Backups have a manifest too.
  if (!Array.isArray(manifest.forgotten)) throw new Error(`${path} is not that of an archive: take another folder`)
  if (manifest.format !== storeFormat)
    throw new Error(`the archive ${directory} has ${otherFormat(manifest.format, 'take another folder')}`)
  return manifest
}

function parsed(path: string): Manifest {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw new Error(`${path} is damaged: ${(cause as Error).message}`, { cause })
  }
}

/** Replaces the manifest as a whole: after a crash it is the old one or this. The files that it names are on disk. */
export function writeManifest(directory: string, manifest: Manifest): void {
  replaceFile(join(directory, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`)
}
