import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { replaceFile } from '#packages/foundation/disk/replace-file.ts'

/** A file beside the manifest that lists what was made from the archive: files and folders that no export updates. */
const COPIES = '_copies.json'

/** The copies of an archive that still exist. Forgotten data stays in them until they are written again or deleted. */
export const copiesOf = (directory: string): string[] => known(directory).filter((path) => existsSync(path))

export function noteCopy(directory: string, path: string): void {
  const copies = new Set([...copiesOf(directory), resolve(path)])
  replaceFile(join(directory, COPIES), `${JSON.stringify([...copies], null, 1)}\n`)
}

function known(directory: string): string[] {
  const file = join(directory, COPIES)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
}
