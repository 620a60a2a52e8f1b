import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf } from './error-code.ts'

/** How long SQLite itself waits, milliseconds: the event loop stands still. */
const BUSY_MS = 20

/** Longer than a VACUUM of 1 GB, milliseconds. */
const GIVE_UP_AFTER_MS = 60_000
const AGAIN_AFTER_MS = 50

/** From now on SQLite waits no longer for another process's transaction than that: `whenFree` does. */
export const waitBriefly = (database: DatabaseSync): void => database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)

/**
 * Runs a transaction, and again while another process writes, as its VACUUM does for seconds: SQLite's own wait would
 * hold up the event loop.
 */
export async function whenFree<T>(transaction: () => T): Promise<T> {
  for (const giveUpAt = performance.now() + GIVE_UP_AFTER_MS; ; await sleep(AGAIN_AFTER_MS))
    try {
      return transaction()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= giveUpAt) throw error
    }
}

const SQLITE_BUSY = 5

const isBusy = (error: unknown): boolean => codeOf(error) === SQLITE_BUSY
