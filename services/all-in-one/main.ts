/** `npm start`: the whole service in one process, on the embedded adapters. */
import { hostname } from 'node:os'
import { MemoryWorkQueue } from '#packages/adapters/memory/work-queue.ts'
import { lockDataDirectory } from '#packages/adapters/sqlite/data-lock.ts'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { openSqliteViews } from '#packages/adapters/sqlite/views.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { type Config, readConfig } from '#packages/config/config.ts'
import { Ledgers } from '#packages/ledger/ledgers.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { captionStep } from '#services/caption/step.ts'
import { fetchStep } from '#services/fetch/step.ts'
import { createIngress } from '#services/ingress/ingress.ts'
import { ingressDefaults } from '#services/ingress/options.ts'
import { banner } from './banner.ts'
import { components } from './components.ts'
import { clearTemporary, openDataDirectory } from './data-directory.ts'
import { openOutside } from './outside.ts'
import { runTogether } from './run-together.ts'
import { withSandbox } from './sandbox.ts'
import { createSpeech } from './speech.ts'

async function serve(wanted: Config, stop: AbortSignal): Promise<void> {
  await using world = await withSandbox(wanted, process.argv.slice(2))
  const { config, isSandbox } = world
  const log = createLog('all-in-one', config.logLevel)
  const data = await openDataDirectory(config.dataDir)
  using _lock = lockDataDirectory(data.path)
  await clearTemporary(data)

  await using store = await openSqliteEventStore({ path: data.events })
  await using views = await openSqliteViews({ path: data.views, clock, origin: store.origin, log })
  await using queue = new MemoryWorkQueue()
  const ledgers = new Ledgers({ store, clock, ids })
  const ports = { store, views, queue, ledgers, clock, ids, log }

  await using outside = await openOutside(config, data, { clock, ids, log })
  const { platforms } = outside
  const speech = createSpeech(config, data.temporary, { clock, log, platforms })
  await using _workers = speech.workers

  const parts = Object.values(components).map((make) =>
    make(ports, {
      works: { fetch: fetchStep({ platforms }), caption: captionStep({ platforms }), 'speech-to-text': speech.step },
      slots: { fetch: config.fetchSlots, caption: config.captionSlots, 'speech-to-text': config.speechSlots },
      worker: `${hostname()}/${process.pid}`,
      leaseSeconds: config.leaseSeconds,
      windowSeconds: config.jobWindowSeconds,
      releaseClaimsAtStart: true,
    }),
  )
  const ingress = createIngress({ ...ports, platforms }, ingressOptionsOf(config))

  await using running = runTogether(parts, stop)
  await running.whenAll(parts.map(({ ready }) => ready))
  if (stop.aborted) return
  const { port, close } = await ingress.listen(config.host, config.port)
  await using _listening = { [Symbol.asyncDispose]: close }
  console.log(banner({ config, isSandbox, dataPath: data.path, port, engine: speech.engine }))
  await running.ended
  log.info('stopping')
}

function ingressOptionsOf(config: Config) {
  const { lightRequestsPerMinute: light, pollsPerMinute: polls, heavyRequestsFactor: factor } = config
  const { free, starter, pro } = ingressDefaults.rates.heavy
  const heavy = { free: free * factor, starter: starter * factor, pro: pro * factor }
  return { windowSeconds: config.jobWindowSeconds, rates: { light, polls, heavy } }
}

const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
try {
  await serve(readConfig(process.env), stop.signal)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
