import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeEventStore } from '#packages/ports/event-store.contract.ts'
import { openSqliteEventStore } from './event-store.ts'

describeEventStore('SqliteEventStore', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'event-store-'))
  return {
    open: () => openSqliteEventStore({ path: join(folder, 'events.sqlite') }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
})
