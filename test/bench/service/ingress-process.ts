/** A process with nothing but the ingress on SQLite, as its main.ts would have it: nobody works on what it accepts. */
import { join } from 'node:path'
import { memoryRateCounters as counters } from '#packages/adapters/memory/rate-counters.ts'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { openSqliteViews } from '#packages/adapters/sqlite/views.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { Ledgers } from '#packages/ledger/ledgers.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { viewsDefinition as definition } from '#packages/views/views-definition.ts'
import { createIngress } from '#services/ingress/ingress.ts'
import { sourcesOf } from '#test/doubles/ingress/sources.ts'
import { serveCalls } from '../kit/serve-calls.ts'
import { createCustomers } from './customers.ts'
import { unlimited } from './unlimited.ts'

const end = new AsyncDisposableStack()

async function open({ dataDir, customers }: { dataDir: string; customers: number }) {
  const store = end.use(await openSqliteEventStore({ path: join(dataDir, 'events.sqlite') }))
  const views = end.use(
    await openSqliteViews({ path: join(dataDir, 'views.sqlite'), clock, definition, origin: store.origin }),
  )
  const ledgers = new Ledgers({ store, clock, ids })
  const log = createLog('bench', 'info')
  const platforms = sourcesOf()
  const ingress = createIngress(
    { store, views, ledgers, clock, ids, platforms, log, counters, localCounters: counters, dependencies: [] },
    unlimited,
  )
  const { port, close } = await ingress.listen('127.0.0.1', 0)
  end.defer(close)
  return { port, customers: await createCustomers(store, customers), transactions: store.transactions }
}

serveCalls({ open }, () => end.disposeAsync())
