import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isBusy } from './error-code.ts'

/** Longer than the check in `isDataDirectoryLocked` takes, milliseconds. */
const LOOK_MS = 100

export class DataDirectoryLockedError extends Error {
  readonly code = 'data_directory_locked'
  constructor(directory: string) {
    super(`${directory} is in use by another running service; stop it, or set DATA_DIR to another directory`)
  }
}

/**
 * Takes the exclusive lock on a data directory, and creates the directory if it is missing. The lock is an open
 * transaction. It ends when it is disposed of, or when the process ends in any way.
 * @throws DataDirectoryLockedError another process holds it
 */
export function lockDataDirectory(directory: string): Disposable {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const database = new DatabaseSync(join(directory, 'lock'), { timeout: LOOK_MS })
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (isBusy(error)) throw new DataDirectoryLockedError(directory)
    throw error
  }
  return { [Symbol.dispose]: () => database.close() }
}

/** Whether a process holds the lock on a data directory. */
export function isDataDirectoryLocked(directory: string): boolean {
  const path = join(directory, 'lock')
  if (!existsSync(path)) return false
  const database = new DatabaseSync(path, { readOnly: true, timeout: 0 })
  try {
    database.exec('SELECT 1 FROM sqlite_master')
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw error
  } finally {
    database.close()
  }
}
