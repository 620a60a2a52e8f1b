import type { DatabaseSync } from 'node:sqlite'

/** How long to wait for a reader of an older state, milliseconds. Nothing is appended meanwhile. */
const waitMs = 10

/**
 * Moves everything in the log into the file, and empties the log: until then, deleted events are still on the disk.
 * @returns false if a reader still uses an older state, or the disk fails; then try again
 */
export function emptyLog(database: DatabaseSync): boolean {
  const usual = Number(database.prepare('PRAGMA busy_timeout').get()?.timeout ?? 0)
  database.exec(`PRAGMA busy_timeout = ${Math.min(usual, waitMs)}`)
  try {
    return database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0
  } catch {
    // The disk is full or fails. Committed transactions are still in the log.
    return false
  } finally {
    database.exec(`PRAGMA busy_timeout = ${usual}`)
  }
}
