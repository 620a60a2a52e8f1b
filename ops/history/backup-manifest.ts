import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sha256OfFile } from '#packages/foundation/disk/sha256-of-file.ts'

/**
 * The stores in the order of copying. Events are last, so that they include everything the other copies were made from.
 */
export const stores = ['views', 'accounts', 'events'] as const
export type StoreName = (typeof stores)[number]

export const fileOf = (store: StoreName): string => `${store}.sqlite`

/** The contents of a backup. Its file is written last: a folder without it is no backup. */
export type Manifest = {
  format: typeof manifestFormat
  /** When the events were copied. */
  madeAt: string
  /** The last position of the events, and the id of the copied file. */
  position: number
  origin: string
  files: readonly ManifestFile[]
  /** A fingerprint of the sealing key. The key itself is in no backup. Null: there was no key yet. */
  sealedWith: string | null
}

type ManifestFile = { store: StoreName; bytes: number; sha256: string }

export const manifestFormat = 1
export const manifestName = 'manifest.json'

/** @throws Error the folder is no backup, was written by a newer program, or is damaged */
export function readManifest(folder: string): Manifest {
  const path = join(folder, manifestName)
  if (!existsSync(path)) throw new Error(`${folder} is no backup: it has no ${manifestName}`)
  const manifest = parsed(path)
  if (manifest.format !== manifestFormat)
    throw new Error(
      `${path} is of format ${manifest.format}, and this program reads ${manifestFormat}: use a newer one`,
    )
  const named = manifest.files.map(({ store }) => store)
  if (named.includes('events') && named.every((store) => stores.includes(store))) return manifest
  throw new Error(`the backup is damaged: ${path} names other files than those of a backup`)
}

function parsed(path: string): Manifest {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw new Error(`the backup is damaged: ${path} cannot be read`, { cause })
  }
}

/** @returns size and hash of a store's file */
export async function describeFile(folder: string, store: StoreName): Promise<ManifestFile> {
  const path = join(folder, fileOf(store))
  return { store, bytes: statSync(path).size, sha256: await sha256OfFile(path) }
}
