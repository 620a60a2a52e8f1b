/**
 * A process of the distributed mode, as services/host/main.ts builds it, on the servers that the environment names.
 * It has unlimited rates, and steps that do nothing.
 */

import { besideOthers, Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { memoryRateCounters as localCounters } from '#packages/adapters/memory/rate-counters.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { perStep } from '#packages/domain/job/events.ts'
import { readConfig } from '#packages/foundation/config/config.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { AttemptsUnderWay } from '#packages/jobs/processing/attempts-under-way.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { type Component, components } from '#services/host/components.ts'
import { openDataDirectory } from '#services/host/data-directory.ts'
import { openEngines } from '#services/host/engines.ts'
import { runTogether } from '#services/host/run-together.ts'
import { needsOf, type PartName } from '#services/host/serve.ts'
import { createIngress } from '#services/ingress/ingress.ts'
import { sourcesOf } from '#test/doubles/ingress/sources.ts'
import { testSealer } from '#test/doubles/test-sealer.ts'
import { memorySecrets } from '#test/doubles/webhooks/memory-secrets.ts'
import { allOf, Countdown } from '../kit/all-of.ts'
import { serveCalls } from '../kit/serve-calls.ts'
import { type Customer, createCustomers } from './customers.ts'
import { jobAcceptor } from './job-acceptor.ts'
import { noopSteps } from './noop-steps.ts'
import { observed } from './observed.ts'
import { unlimited } from './unlimited.ts'

export type Opening = {
  /** The parts that it serves: the ingress alone, or others. */
  parts: readonly PartName[]
  env: Record<string, string>
  dataDir: string
  slots: number
}

const WINDOW_SECONDS = 3600

const end = new AsyncDisposableStack()
const settled = new Countdown()
let allSettled: Promise<void> = Promise.resolve()
/** When the first step of each job began: CLOCK_MONOTONIC, which all processes share, in milliseconds. */
const starts = new Map<string, number>()
let ports: Awaited<ReturnType<typeof openPorts>>
let customers: Customer[] = []

async function openPorts({ parts, env, dataDir }: Opening) {
  const log = createLog('bench', 'info')
  const data = await openDataDirectory(dataDir)
  const engines = end.use(
    await openEngines(readConfig(env), data, new Set(parts.flatMap((part) => needsOf[part])), {
      clock,
      log,
      telemetry: noTelemetry,
    }),
  )
  const ledgers = new (parts.includes('ingress') ? CountingLedgers : Ledgers)(
    { store: engines.store, clock, ids },
    besideOthers,
  )
  const attempts = new AttemptsUnderWay()
  const own = { attempts, processors: new Map(), windowSeconds: WINDOW_SECONDS }
  return { ...engines, ledgers, clock, ids, log, telemetry: noTelemetry, ...own }
}

/**
 * Counts the settlements that an ingress reads, which are those of all jobs. If there are several projections, none of
 * them sees all.
 */
class CountingLedgers extends Ledgers {
  override take(batch: Parameters<Ledgers['take']>[0]): void {
    super.take(batch)
    for (const { type } of batch.events) if (type === 'CreditsSettled') settled.one()
  }
}

/** @returns the port of the ingress */
async function open(opening: Opening): Promise<number | undefined> {
  ports = await openPorts(opening)
  const { parts, slots } = opening
  if (parts.includes('ingress')) {
    const resources = {
      ...ports,
      sealer: testSealer,
      secrets: memorySecrets(clock),
      localCounters,
      followsLedgers: true,
      platforms: sourcesOf(),
    }
    const ingress = createIngress(resources, { ...unlimited, windowSeconds: WINDOW_SECONDS })
    const { port, close } = await ingress.listen('127.0.0.1', 0)
    end.defer(close)
    return port
  }
  const views = observed(ports.views, () => settled.one())
  const options = {
    works: noopSteps((jobId) => starts.set(jobId, Number(process.hrtime.bigint()) / 1e6)),
    slots: perStep(() => slots),
    worker: `bench/${process.pid}`,
    leaseSeconds: 30,
    windowSeconds: WINDOW_SECONDS,
    releaseClaimsAtStart: false,
    dropCached: async () => {},
  }
  const running = parts.flatMap((part) => (part === 'ingress' ? [] : [components[part]({ ...ports, views }, options)]))
  const together = end.use(runTogether(running, new AbortController().signal))
  await together.whenAll(running.map(({ ready }: Component) => ready))
  return undefined
}

/** New organizations, to which the following jobs belong. */
async function createSome(count: number): Promise<Customer[]> {
  customers = await createCustomers(ports.store, count)
  return customers
}

/** Accepts jobs without HTTP. A refused job is tried again. @returns how many were refused */
async function accept({ jobs, addsAtOnce }: { jobs: number; addsAtOnce: number }): Promise<number> {
  const accepting = jobAcceptor(ports)
  let refused = 0
  await allOf(jobs, addsAtOnce, async (index) => {
    while (!(await isAccepted(() => accepting(customers[index % customers.length] as Customer)))) refused++
  })
  return refused
}

/** @throws Error for anything but a temporary refusal */
async function isAccepted(accept: () => Promise<unknown>): Promise<boolean> {
  try {
    await accept()
    return true
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'unavailable') return false
    throw error
  }
}

/** From now on `whenSettled` waits for this many jobs. */
function expectSettled(jobs: number): void {
  allSettled = settled.from(jobs)
}

const calls = { open, createSome, accept, expectSettled, whenSettled: () => allSettled, starts: () => [...starts] }
serveCalls(calls, () => end.disposeAsync())
