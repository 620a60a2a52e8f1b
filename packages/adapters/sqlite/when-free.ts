import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { isBusy } from './error-code.ts'

/** How long SQLite itself waits, milliseconds. The event loop is blocked meanwhile. */
const BUSY_MS = 20

/** Longer than a VACUUM of 1 GB, milliseconds. */
const GIVE_UP_AFTER_MS = 60_000
const AGAIN_AFTER_MS = 50

/** From now on SQLite itself waits only briefly for another process's transaction: `whenFree` does the waiting. */
export const waitBriefly = (database: DatabaseSync): void => database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)

/**
 * Runs a transaction, and retries it while another process writes. A VACUUM writes for seconds, and SQLite's own wait
 * would block the event loop.
 */
export async function whenFree<T>(transaction: () => T): Promise<T> {
  for (const giveUpAt = performance.now() + GIVE_UP_AFTER_MS; ; await sleep(AGAIN_AFTER_MS))
    try {
      return transaction()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= giveUpAt) throw error
    }
}
