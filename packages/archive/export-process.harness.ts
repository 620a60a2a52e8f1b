/** A process that exports an event file into a folder in small pieces, until it is killed: `FILE FOLDER`. */
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { inPieces } from './archived-store.fixture.ts'
import { exportHistory, openExport } from './export-history.ts'

const [file = '', folder = ''] = process.argv.slice(2)
await using store = await openSqliteEventStore({ path: file, readOnly: true })
await using writer = await openExport(store, folder, inPieces)
await exportHistory(store, writer, { commitEvery: 2000, tell: (events) => console.log(events) })
