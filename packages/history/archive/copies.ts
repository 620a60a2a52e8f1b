import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { replaceFile } from '#packages/foundation/disk/replace-file.ts'

/** Beside the manifest: files and folders that were made of the archive, which no export writes again. */
const COPIES = '_copies.json'

/** What was made of an archive and is still there: nothing that is forgotten leaves it by itself. */
export const copiesOf = (directory: string): string[] => known(directory).filter((path) => existsSync(path))

export function noteCopy(directory: string, path: string): void {
  const copies = new Set([...copiesOf(directory), resolve(path)])
  replaceFile(join(directory, COPIES), `${JSON.stringify([...copies], null, 1)}\n`)
}

function known(directory: string): string[] {
  const file = join(directory, COPIES)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
}
