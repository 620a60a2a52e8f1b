/**
 * Reads a whole file of views once, in its own thread, and reports what is wrong. Without it, damage stays unnoticed in
 * documents that are never read, and a damaged index hides documents. Started without a loader, like the writer's
 * thread.
 */
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { DamagedRowError, saysDamaged } from './damaged-file.ts'
import { liveTables } from './view-tables.ts'
import { heldOf, listedColumns } from './views-rows.ts'

export type CheckOptions = { path: string }
/** What is wrong, in a few words; null if nothing is. */
export type Checked = string | null

/** Documents in one transaction. A short transaction does not delay checkpoints of the log. */
const ROWS = 500

function check(database: DatabaseSync): Checked {
  const verdict = database.prepare('PRAGMA integrity_check(1)').get()?.integrity_check
  if (verdict !== 'ok') return String(verdict)
  const { documents } = liveTables
  const rows = database.prepare(
    `SELECT rowid AS row, collection, ${listedColumns}, large FROM ${documents} WHERE rowid > ? ORDER BY rowid LIMIT ${ROWS}`,
  )
  for (let after = 0, found = ROWS; found === ROWS; ) {
    found = 0
    // One at a time in memory: a large field may be megabytes.
    for (const row of rows.iterate(after)) {
      heldOf(String(row.collection), row)
      after = Number(row.row)
      found++
    }
  }
  return null
}

/** Checks the file. A missing or locked file cannot be checked, which does not count as damage. */
function checked({ path }: CheckOptions): Checked {
  try {
    const database = new DatabaseSync(path, { readOnly: true })
    try {
      return check(database)
    } finally {
      database.close()
    }
  } catch (error) {
    return saysDamaged(error) || error instanceof DamagedRowError ? String((error as Error).message) : null
  }
}

parentPort?.postMessage(checked(workerData as CheckOptions))
