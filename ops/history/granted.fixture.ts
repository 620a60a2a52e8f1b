import { join } from 'node:path'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { granted } from '#packages/domain/credits/credits.fixture.ts'
import { newEvent } from '#packages/history/archive/archived-store.fixture.ts'

/** Starts an organization's ledger in a data directory, with 7 credits. */
export async function appendGrant(dataDir: string, orgId: string): Promise<void> {
  await using store = await openSqliteEventStore({ path: join(dataDir, 'events.sqlite') })
  await store.append(`credits-${orgId}`, 'no-stream', [newEvent(granted(7), orgId)])
}
