import { join } from 'node:path'
import { describeSearch } from '#packages/history/questions/search.contract.ts'
import { describeEventStore, type EventStoreFixture } from '#packages/ports/event-store.contract.ts'
import { scavenge } from '#test/doubles/eventstoredb/scavenge.ts'
import { startEventStoreDouble } from '#test/doubles/eventstoredb/server.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { type EventStoreDbOptions, openEventStoreDb } from './event-store.ts'

/** The server of EVENT_STORE_URL, or the double if that is not set. */
const fixtureWith = (options: EventStoreDbOptions) => async (): Promise<EventStoreFixture> => {
  const server = process.env.EVENT_STORE_URL
  if (server !== undefined)
    return {
      open: async () => openEventStoreDb(server, options),
      scavenge: () => scavenge(server),
      async [Symbol.asyncDispose]() {},
    }
  const folder = await temporaryDirectory()
  const double = await startEventStoreDouble({ path: join(folder.path, 'log.sqlite') })
  return {
    open: async () => openEventStoreDb(double.url, options),
    scavenge: () => scavenge(double.url),
    async [Symbol.asyncDispose]() {
      await double[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

describeEventStore('EventStoreDb', fixtureWith({}))
describeSearch('EventStoreDb', fixtureWith({}))
describeEventStore('EventStoreDb, with small batches', fixtureWith({ page: { events: 7, bytes: 1_000_000 } }))
