/** Our pipeline in one process: jobs of three steps that do nothing, from the ledger to the settled view. */
import { allOf, Countdown } from '../kit/all-of.ts'
import { serveCalls } from '../kit/serve-calls.ts'
import { type Customer, createCustomers } from '../service/customers.ts'
import { type Embedded, startEmbedded } from '../service/embedded.ts'
import { jobAcceptor } from '../service/job-acceptor.ts'
import { noopSteps } from '../service/noop-steps.ts'
import type { TelemetryVariables } from '../service/open-traced.ts'
import type { Contest, Opening } from './rival.ts'

const CUSTOMERS = 20

const end = new AsyncDisposableStack()
const settled = new Countdown()
let service: Embedded
let customers: Customer[]

async function open({ directory, slots, telemetry }: Opening & { telemetry?: TelemetryVariables }): Promise<void> {
  const steps = noopSteps(() => {})
  const options = { dataDir: directory, steps, slots, onSettled: () => settled.one(), ...(telemetry && { telemetry }) }
  service = end.use(await startEmbedded(options))
  customers = await createCustomers(service.store, CUSTOMERS)
}

async function run({ jobs, addsAtOnce }: Contest): Promise<{ seconds: number }> {
  const accept = jobAcceptor(service)
  const from = performance.now()
  const done = settled.from(jobs)
  await allOf(jobs, addsAtOnce, (index) => accept(customers[index % CUSTOMERS] as Customer))
  await done
  return { seconds: (performance.now() - from) / 1000 }
}

serveCalls({ open, run, transactions: () => service.transactions() }, () => end.disposeAsync())
