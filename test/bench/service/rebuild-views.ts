import type { SqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { projections } from '#packages/events/views/projections.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { runTogether } from '#services/host/run-together.ts'
import { Projector } from '#services/projections/projector.ts'
import { viewsIn } from './stores.ts'

/** Makes every view from nothing. Returns how long it took, in seconds. */
export async function rebuildViews(store: SqliteEventStore, dataDir: string): Promise<number> {
  const log = createLog('bench', 'info')
  await using views = await viewsIn(dataDir, store)
  const from = performance.now()
  const projector = new Projector({ store, views, clock, log, telemetry: noTelemetry }, projections)
  await using running = runTogether([projector], new AbortController().signal)
  await running.whenAll([projector.ready])
  return (performance.now() - from) / 1000
}
