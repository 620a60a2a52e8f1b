import { join } from 'node:path'
import { openSqliteEventStore, type SqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { openSqliteViews } from '#packages/adapters/sqlite/views.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'

/** The event store in a data directory. */
export const storeIn = (dataDir: string) => openSqliteEventStore({ path: join(dataDir, 'events.sqlite') })

/** The views of a store in a data directory. */
export const viewsIn = (dataDir: string, { origin }: SqliteEventStore) =>
  openSqliteViews({ path: join(dataDir, 'views.sqlite'), clock, definition, origin })
