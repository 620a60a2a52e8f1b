/**
 * Reads a whole file of views once, in a thread of its own, and tells what is wrong with it: damage hides where nobody
 * reads, and a damaged index hides documents. Started without a loader, as the writer's thread.
 */
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { DamagedRowError, saysDamaged } from './damaged-file.ts'
import { liveTables } from './view-tables.ts'
import { heldOf, listedColumns } from './views-rows.ts'

export type CheckOptions = { path: string }
/** What is wrong, in a few words; null: nothing. */
export type Checked = string | null

/** Documents of one look: nobody's log is kept from being carried over for long. */
const ROWS = 500

function check(database: DatabaseSync): Checked {
  const told = database.prepare('PRAGMA integrity_check(1)').get()?.integrity_check
  if (told !== 'ok') return String(told)
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

/** What cannot be known, such as where the file is gone or locked, is nothing that is wrong with it. */
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
