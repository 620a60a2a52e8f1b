import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from './transaction.ts'

const LARGEST = 2 ** 31 - 1

/**
 * How many transactions have removed rows from a file since its last VACUUM. The count is in the header field that
 * SQLite leaves to applications. It changes with the transaction, so no crash and no other process loses it.
 */
export const removalsSinceVacuum = (database: DatabaseSync): number =>
  Number(database.prepare('PRAGMA application_id').get()?.application_id)

/** Called within a transaction that removes rows. */
export function noteRemoval(database: DatabaseSync): void {
  put(database, (removalsSinceVacuum(database) % LARGEST) + 1)
}

/** Called after a VACUUM. @param counted the removals before it began. Later ones wait for the next VACUUM */
export function clearRemovals(database: DatabaseSync, counted: number): void {
  inTransaction(database, () => {
    if (removalsSinceVacuum(database) === counted) put(database, 0)
  })
}

const put = (database: DatabaseSync, count: number): void => database.exec(`PRAGMA application_id = ${count}`)
