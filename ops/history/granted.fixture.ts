import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { granted } from '#packages/domain/credits/credits.fixture.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'

/** Starts an organization's ledger in a data directory, with 7 credits. */
export async function appendGrant(dataDir: string, orgId: string): Promise<void> {
  await using store = await openSqliteEventStore({ path: join(dataDir, 'events.sqlite') })
  const metadata = { orgId, correlationId: 'test', causationId: 'test', traceparent: newTraceparent(false) }
  await store.append(`credits-${orgId}`, 'no-stream', [{ ...granted(7), id: randomUUID(), metadata }])
}
