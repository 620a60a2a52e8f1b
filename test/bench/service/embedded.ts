import { join } from 'node:path'
import { MemoryWorkQueue } from '#packages/adapters/memory/work-queue.ts'
import { openSqliteEventStore, type SqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { openSqliteViews } from '#packages/adapters/sqlite/views.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { Ledgers } from '#packages/ledger/ledgers.ts'
import type { Views } from '#packages/ports/views.ts'
import { Processor } from '#packages/processing/processor.ts'
import type { StepWork } from '#packages/processing/step.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { balances } from '#packages/views/balances.ts'
import { jobs } from '#packages/views/jobs.ts'
import { keys } from '#packages/views/keys.ts'
import type { Projection } from '#packages/views/projection.ts'
import { sharesOf } from '#services/all-in-one/components.ts'
import { runTogether } from '#services/all-in-one/run-together.ts'
import { Orchestrator } from '#services/orchestrator/orchestrator.ts'
import { Projector } from '#services/projections/projector.ts'

export type EmbeddedOptions = {
  dataDir: string
  steps: Partial<Record<'fetch' | 'caption' | 'speech-to-text', StepWork>>
  /** Steps of a kind at once. */
  slots: number
  /** Told of every job whose end the outside can see from now on. */
  onSettled(jobId: string): void
}

const WINDOW_SECONDS = 3600
const LEASE = { worker: 'bench', leaseSeconds: 30, extendEverySeconds: 10 }

/** Tells of the settlements that a view has taken in. */
function observed(views: Views, onSettled: (jobId: string) => void): Views {
  const apply = views.apply.bind(views)
  views.apply = async (projection, writes, checkpoint) => {
    await apply(projection, writes, checkpoint)
    for (const { collection, id, set } of writes) if (collection === 'jobs' && set.settled === true) onSettled(id)
  }
  return views
}

/** What the all-in-one runs behind its HTTP surface, put together as its main.ts does, with other steps. */
export async function startEmbedded({ dataDir, steps, slots, onSettled }: EmbeddedOptions) {
  const store: SqliteEventStore = await openSqliteEventStore({ path: join(dataDir, 'events.sqlite') })
  const views = observed(await openSqliteViews({ path: join(dataDir, 'views.sqlite'), clock }), onSettled)
  const queue = new MemoryWorkQueue()
  const log = createLog('bench', 'info')
  const ledgers = new Ledgers({ store, clock, ids })
  const ports = { store, views, queue, ledgers, clock, ids, log }
  const processors = Object.entries(steps).map(
    ([step, work]) => new Processor(ports, { ...LEASE, step: step as keyof typeof steps, slots }, work),
  )
  const orchestrator = new Orchestrator(ports, {
    shares: sharesOf({ fetch: slots, caption: slots, 'speech-to-text': slots, extract: 1 }),
    windowSeconds: WINDOW_SECONDS,
    releaseClaimsAtStart: true,
  })
  const projectors = [jobs, keys, balances].map((projection) => new Projector(ports, projection as Projection))
  const running = runTogether([orchestrator, ...projectors, ...processors], new AbortController().signal)
  await running.whenAll([orchestrator.ready, ...projectors.map(({ ready }) => ready)])
  return {
    ...ports,
    windowSeconds: WINDOW_SECONDS,
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]()
      await queue[Symbol.asyncDispose]()
      await views[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
    },
  }
}

export type Embedded = Awaited<ReturnType<typeof startEmbedded>>
