/**
 * A process that exports an event file into a folder in small pieces, until it is killed: `FILE FOLDER [BATCHES]`.
 * After BATCHES batches it prints a line and waits.
 */
import { writeSync } from 'node:fs'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { inPieces } from './archived-store.fixture.ts'
import { exportHistory, openExport } from './export-history.ts'

const [file = '', folder = '', batches = 'all'] = process.argv.slice(2)
let read = 0

function tell(): void {
  read++
  if (String(read) !== batches) return
  writeSync(1, 'standing still\n')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

await using store = await openSqliteEventStore({ path: file, readOnly: true })
await using writer = await openExport(store, folder, inPieces)
await exportHistory(store, writer, { commitEvery: 2000, tell })
