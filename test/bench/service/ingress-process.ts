/**
 * A process with nothing but the ingress on SQLite, as its main.ts builds it. No worker handles the jobs that it
 * accepts.
 */
import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { memoryRateCounters as counters } from '#packages/adapters/memory/rate-counters.ts'
import { MemoryWorkQueue } from '#packages/adapters/memory/work-queue.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { AttemptsUnderWay } from '#packages/jobs/processing/attempts-under-way.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { createIngress } from '#services/ingress/ingress.ts'
import { sourcesOf } from '#test/doubles/ingress/sources.ts'
import { testSealer } from '#test/doubles/test-sealer.ts'
import { memorySecrets } from '#test/doubles/webhooks/memory-secrets.ts'
import { serveCalls } from '../kit/serve-calls.ts'
import { createCustomers } from './customers.ts'
import { openTraced, type TelemetryVariables } from './open-traced.ts'
import { storeIn, viewsIn } from './stores.ts'
import { unlimited } from './unlimited.ts'

const end = new AsyncDisposableStack()

type Opening = { dataDir: string; customers: number; telemetry?: TelemetryVariables }

async function open({ dataDir, customers, telemetry: variables = {} }: Opening) {
  const store = end.use(await storeIn(dataDir))
  const views = end.use(await viewsIn(dataDir, store))
  const log = createLog('bench', 'info')
  const traced = await openTraced({ store, views, queue: new MemoryWorkQueue() }, variables, log)
  end.use(traced.telemetry)
  const ledgers = new Ledgers({ store: traced.store, clock, ids })
  const platforms = sourcesOf()
  const ingress = createIngress(
    {
      ...traced,
      ledgers,
      clock,
      ids,
      platforms,
      attempts: new AttemptsUnderWay(),
      log,
      sealer: testSealer,
      counters,
      localCounters: counters,
      secrets: memorySecrets(clock),
      dependencies: [],
    },
    unlimited,
  )
  const { port, close } = await ingress.listen('127.0.0.1', 0)
  end.defer(close)
  return { port, customers: await createCustomers(store, customers), transactions: store.transactions }
}

serveCalls({ open }, () => end.disposeAsync())
