import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDataDirectoryLocked } from '#packages/adapters/sqlite/data-lock.ts'

const pathOf = (directory: string): string => join(directory, 'service.json')

/** The URL of the service on a data directory, and of its sandbox, if it uses one. */
export type ServiceNote = { url: string; sandboxUrl?: string | undefined }

/** Writes the note for commands that run beside the service. Only the holder of the directory's lock may call it. */
export function noteService(directory: string, note: ServiceNote): Disposable {
  writeFileSync(pathOf(directory), JSON.stringify(note), { mode: 0o600 })
  return { [Symbol.dispose]: () => rmSync(pathOf(directory), { force: true }) }
}

/** The service that runs on a data directory; undefined if none does. */
export function noteOn(directory: string): ServiceNote | undefined {
  // A killed process leaves its note behind, but not its lock.
  if (!isDataDirectoryLocked(directory)) return undefined
  try {
    return JSON.parse(readFileSync(pathOf(directory), 'utf8')) as ServiceNote
  } catch {
    // The service is starting or stopping.
    return undefined
  }
}

/** The base URL of the service that runs on a data directory. Undefined if none does. */
export const runningServiceOn = (directory: string): string | undefined => noteOn(directory)?.url
