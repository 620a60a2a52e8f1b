/** The embedded service with its HTTP surface and the dashboard, unlimited rates, and steps that do nothing. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { memoryRateCounters as counters } from '#packages/adapters/memory/rate-counters.ts'
import { openSqliteAccounts } from '#packages/adapters/sqlite/accounts.ts'
import { pocketsphinxTraits as speech } from '#packages/content/speech/traits.ts'
import { readConfig } from '#packages/foundation/config/config.ts'
import { Sealer } from '#packages/foundation/secrets/sealer.ts'
import { type MountedDashboard, mountDashboard } from '#services/host/dashboard.ts'
import { createIngress } from '#services/ingress/ingress.ts'
import { ingressDefaults } from '#services/ingress/options.ts'
import { sourcesOf } from '#test/doubles/ingress/sources.ts'
import { memorySecrets } from '#test/doubles/webhooks/memory-secrets.ts'
import { Countdown } from '../kit/all-of.ts'
import { serveCalls } from '../kit/serve-calls.ts'
import { type Customer, createCustomers } from './customers.ts'
import { type Embedded, startEmbedded } from './embedded.ts'
import { completeJobs } from './job-acceptor.ts'
import { noopSteps } from './noop-steps.ts'
import { unlimited } from './unlimited.ts'

export type DashboardOpened = {
  port: number
  customers: Customer[]
  /** The cookie of a signed-in member of the first customer's organization. */
  cookie: string
}

/** The results of people who signed in at once. */
export type SignedIn = { answered: number; refused: number }

const SLOTS = 64

const end = new AsyncDisposableStack()
const settled = new Countdown()
let service: Embedded
let dashboard: MountedDashboard

async function open({ dataDir, customers: count }: { dataDir: string; customers: number }): Promise<DashboardOpened> {
  const steps = noopSteps(() => {})
  service = end.use(await startEmbedded({ dataDir, steps, slots: SLOTS, onSettled: () => settled.one() }))
  const accounts = end.use(openSqliteAccounts({ path: join(dataDir, 'accounts.sqlite') }))
  const sealer = new Sealer(randomBytes(32))
  dashboard = mountDashboard(
    readConfig({}),
    { ...service, counters, accounts, sealer, platforms: sourcesOf(), thumbnails: { of: async () => undefined } },
    { ...ingressDefaults, extracts: true, speech },
  )
  const platforms = sourcesOf()
  const secrets = memorySecrets(service.clock)
  const resources = { ...service, secrets, sealer, platforms, counters, localCounters: counters, dependencies: [] }
  const options = { ...unlimited, windowSeconds: service.windowSeconds }
  const ingress = createIngress({ ...resources, pages: dashboard.pages }, options)
  const { port, close } = await ingress.listen('127.0.0.1', 0)
  end.defer(close)
  const customers = await createCustomers(service.store, count)
  const person = { email: 'ada@example.com', passwordHash: null, identity: null, isOperator: true, promised: null }
  const [first] = customers
  const memberships = [{ orgId: first?.orgId ?? '', role: 'owner' as const, since: 1 }]
  await accounts.create({ ...person, id: 'ada', memberships, verifiedAt: 1, createdAt: 1 })
  return { port, customers, cookie: `__Host-session=${await dashboard.accounts.sessions.begin('ada')}` }
}

/** Completes jobs of a customer without HTTP. Returns their ids. */
const complete = ({ customer, jobs }: { customer: Customer; jobs: number }) =>
  completeJobs(service, settled, { customers: [customer], jobs })

let waves = 0

/**
 * People who all sign in at once, each from a different address, so that as many passwords are hashed as the limits
 * allow.
 */
async function signIn({ people }: { people: number }): Promise<SignedIn> {
  const wave = waves++
  const email = (n: number): string => `nobody-${wave}-${n}@example.com`
  const address = (n: number): string => `198.51.${wave % 256}.${n}`
  const attempts = Array.from({ length: people }, (_, n) =>
    dashboard.accounts.signIns.signIn({ email: email(n), password: 'seven quiet lamps', address: address(n) }),
  )
  const outcomes = await Promise.allSettled(attempts)
  const refused = outcomes.filter((one) => one.status === 'rejected' && one.reason?.code === 'rate_limited').length
  return { answered: people - refused, refused }
}

serveCalls({ open, complete, signIn }, () => end.disposeAsync())
