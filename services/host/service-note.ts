import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDataDirectoryLocked } from '#packages/adapters/sqlite/data-lock.ts'

const pathOf = (directory: string): string => join(directory, 'service.json')

/** Where the service on a data directory answers, and the sandbox that it runs on, if it does. */
export type ServiceNote = { url: string; sandboxUrl?: string | undefined }

/** Notes it for commands beside the service. Only for the holder of the directory's lock. */
export function noteService(directory: string, note: ServiceNote): Disposable {
  writeFileSync(pathOf(directory), JSON.stringify(note), { mode: 0o600 })
  return { [Symbol.dispose]: () => rmSync(pathOf(directory), { force: true }) }
}

/** The service that runs on a data directory; undefined where none does. */
export function noteOn(directory: string): ServiceNote | undefined {
  // A process that was killed leaves its note behind, but not its lock.
  if (!isDataDirectoryLocked(directory)) return undefined
  try {
    return JSON.parse(readFileSync(pathOf(directory), 'utf8')) as ServiceNote
  } catch {
    // It is starting or stopping.
    return undefined
  }
}

/** The base URL of that service. */
export const runningServiceOn = (directory: string): string | undefined => noteOn(directory)?.url
