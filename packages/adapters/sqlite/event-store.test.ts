import { join } from 'node:path'
import { describeSearch } from '#packages/history/questions/search.contract.ts'
import { describeEventStore } from '#packages/ports/event-store.contract.ts'
import { describeAppendTogether } from '#packages/ports/event-store-together.contract.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { openSqliteEventStore, type SqliteEventStoreOptions } from './event-store.ts'

const fixtureWith = (options: Partial<SqliteEventStoreOptions>) => async () => {
  const folder = await temporaryDirectory()
  return { ...folder, open: () => openSqliteEventStore({ path: join(folder.path, 'events.sqlite'), ...options }) }
}

const together = [describeAppendTogether]
describeEventStore('SqliteEventStore', fixtureWith({}), together)
describeEventStore('SqliteEventStore, holding little', fixtureWith({ tail: { events: 7, bytes: 5000 } }), together)
describeSearch('SqliteEventStore', fixtureWith({}))
