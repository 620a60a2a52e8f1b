import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** SQLITE_BUSY. */
const busy = 5

export class DataDirectoryLockedError extends Error {
  readonly code = 'data_directory_locked'
  constructor(directory: string) {
    super(`${directory} is in use by another running service; stop it, or set DATA_DIR to another directory`)
  }
}

/**
 * Takes the exclusive lock on a data directory, making the directory where it is missing. The lock is an open
 * transaction: it ends when it is disposed of, or when the process ends in any way.
 * @throws DataDirectoryLockedError at once, when another process holds it
 */
export function lockDataDirectory(directory: string): Disposable {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const database = new DatabaseSync(join(directory, 'lock'), { timeout: 0 })
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode === busy) throw new DataDirectoryLockedError(directory)
    throw error
  }
  return { [Symbol.dispose]: () => database.close() }
}
