/**
 * `npm run projections -- rebuild`: rebuilds all views from the events. The live views stay in use meanwhile; the new
 * ones replace them once they have passed their position.
 */

import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { projections } from '#packages/events/views/projections.ts'
import { type Config, readConfig } from '#packages/foundation/config/config.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import type { ViewsRebuild } from '#packages/ports/views.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { openDataDirectory } from '#services/host/data-directory.ts'
import { openMongo, openStore, openViews } from '#services/host/engines.ts'
import { runProcess } from '#services/host/run-process.ts'
import { runTogether } from '#services/host/run-together.ts'
import { Projector } from '#services/projections/projector.ts'
import { assertRebuild } from './command.ts'

/** The pause between two attempts to replace the live views, milliseconds. */
const TRY_EVERY_MS = 100

type Parts = {
  config: Config
  data: Awaited<ReturnType<typeof openDataDirectory>>
  store: EventStore
  mongo: Awaited<ReturnType<typeof openMongo>>
}

async function fill(rebuild: ViewsRebuild, store: EventStore, config: Config, stop: AbortSignal): Promise<void> {
  const log = createLog('rebuild', config.logLevel)
  const projector = new Projector({ store, views: rebuild.views, clock, log, telemetry: noTelemetry }, projections)
  await using running = runTogether([projector], stop)
  await running.whenAll([projector.ready])
  while (!(await rebuild.takeOver())) {
    if (stop.aborted) throw new Error('stopped before the views took the place of the live ones; nothing has changed')
    await clock.sleep(TRY_EVERY_MS)
  }
}

async function rebuild({ config, data, store, mongo }: Parts, stop: AbortSignal): Promise<void> {
  // Without the origin of the events: a running service may be ahead of the events opened here.
  await using views = await openViews(data, { clock, mongo, store })
  await using made = await views.rebuild()
  await fill(made, store, config, stop)
}

async function main(stop: AbortSignal): Promise<void> {
  assertRebuild(process.argv.slice(2))
  const config = readConfig(process.env)
  const data = await openDataDirectory(config.dataDir)
  const { store } = await openStore(config, data)
  await using _store = store
  await using mongo = await openMongo(config)
  const from = clock.now()
  await rebuild({ config, data, store, mongo }, stop)
  console.log(`the views were rebuilt, and are read from now on (${((clock.now() - from) / 1000).toFixed(1)} s)`)
}

await runProcess(main)
