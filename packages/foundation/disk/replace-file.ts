import { renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncToDisk } from './sync-to-disk.ts'

/** Replaces a file as a whole: after a crash it is the old one or this. Only its owner may read it. */
export function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 })
  syncToDisk(`${path}.new`)
  renameSync(`${path}.new`, path)
  syncToDisk(dirname(path))
}
