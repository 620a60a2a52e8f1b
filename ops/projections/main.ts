/**
 * `npm run projections -- rebuild`: makes all views anew from the events. The live ones are read and written
 * meanwhile; the new ones replace them once they have passed their position.
 *
 * `npm run projections -- rebuild --shard N`, or `--shard 3 --shard 7`, or `--shard 3,7`: compares the documents of these
 * shards alone with their events, and puts the right ones in the place of the others, one by one, while services read and
 * write them. What is right stays as it is, and so do all checkpoints. A shard is a number from 0 to 63: the first byte of an
 * id, divided by four. It has the jobs, balances and use of its organizations, and of the rare keys those whose own id
 * is in it. A command that was stopped has changed nothing that was right: run it again.
 */

import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { type Config, readConfig } from '#packages/config/config.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import type { Shard } from '#packages/ports/shards.ts'
import type { ViewsRebuild } from '#packages/ports/views.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { projections } from '#packages/views/projections.ts'
import { openDataDirectory } from '#services/host/data-directory.ts'
import { openMongo, openStore, openViews, openViewsMender } from '#services/host/engines.ts'
import { runProcess } from '#services/host/run-process.ts'
import { runTogether } from '#services/host/run-together.ts'
import { Projector } from '#services/projections/projector.ts'
import { rebuildShards } from '#services/projections/rebuild-shards.ts'
import { parseProjectionsCommand } from './command.ts'

/** Pause between two attempts to replace the live views, milliseconds. */
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

async function rebuildAll({ config, data, store, mongo }: Parts, stop: AbortSignal): Promise<string> {
  // Without the origin of the events: the running service may be further than they were when they were opened here.
  await using views = await openViews(data, { clock, mongo })
  await using rebuild = await views.rebuild()
  await fill(rebuild, store, config, stop)
  return 'the views were made anew, and are read from now on'
}

async function rebuildSome(
  { data, store, mongo }: Parts,
  shards: ReadonlySet<Shard>,
  stop: AbortSignal,
): Promise<string> {
  await using mender = await openViewsMender(data, { clock, mongo })
  if (mender === undefined) throw new Error('there are no views: a service makes them when it starts')
  const { documents, mended, elsewhere } = await rebuildShards(
    { store, mender, clock },
    projections,
    shards,
    {},
    stop,
  ).catch((error: unknown) => {
    if (stop.aborted) throw new Error('stopped: documents that were mended are right, others are as they were')
    throw error
  })
  const others = elsewhere === 0 ? '' : `; ${elsewhere} jobs have their ledger in another shard: name both`
  return `shards ${[...shards].join(', ')}: ${mended} of ${documents} documents were made anew, the others are right${others}`
}

async function main(stop: AbortSignal): Promise<void> {
  const { shards } = parseProjectionsCommand(process.argv.slice(2))
  const config = readConfig(process.env)
  const data = await openDataDirectory(config.dataDir)
  const { store } = await openStore(config, data)
  await using _store = store
  await using mongo = await openMongo(config)
  const parts = { config, data, store, mongo }
  const from = clock.now()
  const what = shards === undefined ? await rebuildAll(parts, stop) : await rebuildSome(parts, shards, stop)
  console.log(`${what} (${((clock.now() - from) / 1000).toFixed(1)} s)`)
}

await runProcess(main)
