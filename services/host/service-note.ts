import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDataDirectoryLocked } from '#packages/adapters/sqlite/data-lock.ts'

const pathOf = (directory: string): string => join(directory, 'service.json')

/** Notes where the service on a data directory answers, for commands beside it. Only for the holder of its lock. */
export function noteService(directory: string, url: string): Disposable {
  writeFileSync(pathOf(directory), JSON.stringify({ url }), { mode: 0o600 })
  return { [Symbol.dispose]: () => rmSync(pathOf(directory), { force: true }) }
}

/** The base URL of the service that runs on a data directory; undefined where none does. */
export function runningServiceOn(directory: string): string | undefined {
  // A process that was killed leaves its note behind, but not its lock.
  if (!isDataDirectoryLocked(directory)) return undefined
  try {
    return (JSON.parse(readFileSync(pathOf(directory), 'utf8')) as { url: string }).url
  } catch {
    // It is starting or stopping.
    return undefined
  }
}
