import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { MemoryWorkQueue } from '#packages/adapters/memory/work-queue.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { perStep, type Step } from '#packages/domain/job/events.ts'
import { AttemptsUnderWay } from '#packages/jobs/processing/attempts-under-way.ts'
import type { StepWork } from '#packages/jobs/processing/step.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { components } from '#services/host/components.ts'
import { runTogether } from '#services/host/run-together.ts'
import { observed } from './observed.ts'
import { openTraced, type TelemetryVariables } from './open-traced.ts'
import { storeIn, viewsIn } from './stores.ts'

export type EmbeddedOptions = {
  dataDir: string
  steps: Record<Step, StepWork>
  /** Steps of a kind at once. */
  slots: number
  /** Called for every job once its end is visible from outside. */
  onSettled(jobId: string): void
  /** Default: nothing is exported. */
  telemetry?: TelemetryVariables
}

const WINDOW_SECONDS = 3600

/** Leaves these out: they reach outside, and are idle without webhooks, batches and watches. */
const { webhooks: _webhooks, batches: _batches, watches: _watches, ...inside } = components

/** Starts the parts that the all-in-one process has behind its HTTP surface for single jobs, with other steps. */
export async function startEmbedded({ dataDir, steps, slots, onSettled, telemetry: variables = {} }: EmbeddedOptions) {
  const store = await storeIn(dataDir)
  const views = observed(await viewsIn(dataDir, store), onSettled)
  const queue = new MemoryWorkQueue()
  const log = createLog('bench', 'info')
  const traced = await openTraced({ store, views, queue }, variables, log)
  const ledgers = new Ledgers({ store: traced.store, clock, ids })
  const ports = {
    ...traced,
    ledgers,
    clock,
    ids,
    log,
    attempts: new AttemptsUnderWay(),
    processors: new Map(),
  }
  const options = {
    works: steps,
    slots: perStep(() => slots),
    worker: 'bench',
    leaseSeconds: 30,
    windowSeconds: WINDOW_SECONDS,
    releaseClaimsAtStart: true,
    dropCached: async () => {},
  }
  const parts = Object.values(inside).map((make) => make(ports, options))
  const running = runTogether(parts, new AbortController().signal)
  await running.whenAll(parts.map(({ ready }) => ready))
  return {
    ...ports,
    transactions: () => store.transactions,
    windowSeconds: WINDOW_SECONDS,
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]()
      await traced.telemetry[Symbol.asyncDispose]()
      await queue[Symbol.asyncDispose]()
      await views[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
    },
  }
}

export type Embedded = Awaited<ReturnType<typeof startEmbedded>>
