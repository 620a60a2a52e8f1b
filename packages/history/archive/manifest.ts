import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { otherFormat, storeFormat } from '#packages/events/format/store-format.ts'
import { replaceFile } from '#packages/foundation/disk/replace-file.ts'

/** A Parquet file of an archive. */
export type ArchiveFile = {
  /**
   * Relative to the folder of the archive: `events/2026-11/job/POSITION.parquet`. POSITION is that of the first event
   * when the file was first written.
   */
  path: string
  /** The month in which the events were recorded (UTC), such as `2026-11`. */
  month: string
  category: string
  /** The positions of its first and last event. */
  first: number
  last: number
  events: number
  /** The characters of JSON in it, before compression. */
  size: number
  sha256: string
}

/** The credits of the forgotten jobs of a month. The archive keeps nothing else of them. */
export type ForgottenMonth = { month: string; jobs: number; debited: number; charged: number; refunded: number }

/** Where an archive begins: at a position, or at an instant of recording, milliseconds since 1970. */
export type ArchiveStart = { position: number } | { instant: number }

/** A complete file that has yet to move to its place. Paths are relative to the folder of the archive. */
export type Move = { from: string; to: string }

/** The contents of an archive. A file that is not named here does not count: a crash has left it. */
export type Manifest = {
  /** {@link storeFormat} */
  format: number
  /** The id of the event file. Null if the events are on a server. */
  origin: string | null
  /** Whether it has personal data. */
  withContent: boolean
  /** Null: the beginning. */
  from: ArchiveStart | null
  /** It has every event up to this position, except those of forgotten streams. */
  position: number
  /** The versions of the programs that wrote it. The bytes of a file depend on DuckDB's version. */
  writtenBy: { program: string; duckdb: string }
  /** By month, category and position. */
  files: readonly ArchiveFile[]
  /** Files in `files` that a crash may have left unmoved. */
  moves: readonly Move[]
  forgotten: readonly ForgottenMonth[]
}

/** Readers of a folder of Parquet files ignore names that begin with an underscore. */
export const MANIFEST = '_manifest.json'

/** The manifest of an archive. Undefined if there is no archive. @throws Error it is damaged, or has another format */
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

/**
 * Replaces the manifest atomically: after a crash it is the old one or the new one. The files that it names must
 * already be on disk.
 */
export function writeManifest(directory: string, manifest: Manifest): void {
  replaceFile(join(directory, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`)
}
