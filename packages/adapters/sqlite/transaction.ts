import type { DatabaseSync } from 'node:sqlite'

/** Runs work as the only writer among all processes. If it throws, nothing is stored. @throws its error */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    // After some errors, such as a full disk, SQLite has already ended the transaction.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
