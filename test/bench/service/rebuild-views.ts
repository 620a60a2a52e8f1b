import type { SqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { openSqliteViews } from '#packages/adapters/sqlite/views.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { balances } from '#packages/views/balances.ts'
import { jobs } from '#packages/views/jobs.ts'
import { keys } from '#packages/views/keys.ts'
import type { Projection } from '#packages/views/projection.ts'
import { runTogether } from '#services/all-in-one/run-together.ts'
import { Projector } from '#services/projections/projector.ts'

/** Makes every view from nothing. Returns how long it took, in seconds. */
export async function rebuildViews(store: SqliteEventStore, path: string): Promise<number> {
  const log = createLog('bench', 'info')
  await using views = await openSqliteViews({ path, clock, origin: store.origin })
  const from = performance.now()
  const ports = { store, views, clock, log }
  const projectors = [jobs, keys, balances].map((projection) => new Projector(ports, projection as Projection))
  await using running = runTogether(projectors, new AbortController().signal)
  await running.whenAll(projectors.map(({ ready }) => ready))
  return (performance.now() - from) / 1000
}
