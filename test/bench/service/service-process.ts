/** The embedded service with its HTTP surface, unlimited rates, and steps that do nothing. */
import { memoryRateCounters as counters } from '#packages/adapters/memory/rate-counters.ts'
import { createIngress } from '#services/ingress/ingress.ts'
import { sourcesOf } from '#test/doubles/ingress/sources.ts'
import { testSealer } from '#test/doubles/test-sealer.ts'
import { memorySecrets } from '#test/doubles/webhooks/memory-secrets.ts'
import { Countdown } from '../kit/all-of.ts'
import { serveCalls } from '../kit/serve-calls.ts'
import { type Customer, createCustomers } from './customers.ts'
import { type Embedded, startEmbedded } from './embedded.ts'
import { completeJobs } from './job-acceptor.ts'
import { noopSteps } from './noop-steps.ts'
import type { TelemetryVariables } from './open-traced.ts'
import { unlimited } from './unlimited.ts'

export type ServiceOpening = { dataDir: string; customers: number; slots: number; telemetry?: TelemetryVariables }
export type ServiceOpened = { port: number; customers: Customer[] }

const end = new AsyncDisposableStack()
const settled = new Countdown()
/** When the first step of each job began: CLOCK_MONOTONIC, which all processes share, in milliseconds. */
const starts = new Map<string, number>()
let service: Embedded

const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6

async function open({ dataDir, customers, slots, telemetry }: ServiceOpening): Promise<ServiceOpened> {
  const steps = noopSteps((jobId) => starts.set(jobId, monotonicMs()))
  const options = { dataDir, steps, slots, onSettled: () => settled.one(), ...(telemetry && { telemetry }) }
  service = end.use(await startEmbedded(options))
  const platforms = sourcesOf()
  const ingress = createIngress(
    {
      ...service,
      sealer: testSealer,
      secrets: memorySecrets(service.clock),
      platforms,
      counters,
      localCounters: counters,
      dependencies: [],
    },
    { ...unlimited, windowSeconds: service.windowSeconds },
  )
  const { port, close } = await ingress.listen('127.0.0.1', 0)
  end.defer(close)
  return { port, customers: await createCustomers(service.store, customers) }
}

/** Completes jobs of each customer without HTTP. Returns their ids. */
const complete = (wanted: { customers: Customer[]; jobs: number }) => completeJobs(service, settled, wanted)

serveCalls({ open, complete, starts: () => [...starts] }, () => end.disposeAsync())
