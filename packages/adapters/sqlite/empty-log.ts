import type { DatabaseSync } from 'node:sqlite'

/** How long to wait for a reader of an older state, milliseconds: nothing is appended meanwhile. */
const waitMs = 10

/**
 * Carries everything in the log over into the file, and empties it: deleted events are on the disk until then.
 * @returns false where somebody still reads an older state, or the disk fails: then it is to be tried again
 */
export function emptyLog(database: DatabaseSync): boolean {
  const usual = Number(database.prepare('PRAGMA busy_timeout').get()?.timeout ?? 0)
  database.exec(`PRAGMA busy_timeout = ${Math.min(usual, waitMs)}`)
  try {
    return database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0
  } catch {
    // The disk is full or fails. What was committed stands in the log all the same.
    return false
  } finally {
    database.exec(`PRAGMA busy_timeout = ${usual}`)
  }
}
