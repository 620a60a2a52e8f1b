import { join } from 'node:path'
import type { Config } from '#packages/foundation/config/config.ts'
import { readManifest } from '#packages/history/archive/manifest.ts'
import { type ArchivesPorts, forgetInArchives } from '#services/retention/archives.ts'
import manifest from '../../package.json' with { type: 'json' }
import type { DataDirectory } from './data-directory.ts'
import { forgetInChildProcess } from './sweep-in-child-process.ts'

/**
 * Removes forgotten streams from the configured archive and from the one that commands make in the data directory. Runs
 * until it is disposed of.
 */
export function startForgetting(
  config: Config,
  { path, events }: DataDirectory,
  ports: Omit<ArchivesPorts, 'archives'>,
): AsyncDisposable {
  const { version: program } = manifest
  const directories = new Set([config.exportDir, join(path, 'archive')].flatMap((directory) => directory ?? []))
  const archives = [...directories].map((directory) => ({
    directory,
    position: () => readManifest(directory)?.position,
    forget: forgetInChildProcess({ config, events, directory, program }),
  }))
  return forgetInArchives({ ...ports, archives })
}
