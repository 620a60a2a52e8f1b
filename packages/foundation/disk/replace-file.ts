import { renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncToDisk } from './sync-to-disk.ts'

/** Replaces a file atomically: after a crash it has the old text or the new one. Only its owner may read it. */
export function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 })
  syncToDisk(`${path}.new`)
  renameSync(`${path}.new`, path)
  syncToDisk(dirname(path))
}
