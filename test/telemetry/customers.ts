import { setTimeout as sleep } from 'node:timers/promises'
import { openEventStoreDb } from '#packages/adapters/eventstoredb/event-store.ts'
import { platformNames } from '#packages/platforms/registry.ts'
import { Random } from '#test/doubles/random.ts'
import { BackDoor } from '#test/doubles/service/back-door.ts'
import { Client } from '#test/doubles/service/client.ts'
import { Customer, everyKind, type Order } from '#test/doubles/service/customer.ts'
import { playing } from '#test/doubles/service/sandbox-videos.ts'
import { until } from '#test/doubles/service/until.ts'

/** Jobs on files, and on the sandbox. */
const orders: readonly [Order, ...Order[]] = [
  ...everyKind,
  { url: playing('youtube').url, mode: 'native', end: 'completed' },
  { url: playing('tiktok').url, mode: 'native', end: 'completed' },
]

const plans = ['starter', 'pro', 'pro'] as const
const PAUSE_MS = [1500, 3500] as const
const BROWSE_MS = 1500

/** The requests of the dashboard and of integrations other than jobs, in order. */
const lookups = [
  '/v1/me',
  ...platformNames.map((name) => `/v1/metadata?url=${encodeURIComponent(playing(name).url)}`),
  '/v1/search?q=audiobook&platform=youtube',
  '/v1/tiktok/profile?username=pageturners',
  '/v1/jobs',
]

/** Starts customers who post jobs and make other requests until they are disposed of. */
export async function startCustomers(base: string, storeUrl: string) {
  const backDoor = new BackDoor(openEventStoreDb(storeUrl))
  const made = await Promise.all(plans.map((plan) => backDoor.organization({ plan })))
  const clients = made.map((one) => new Client(() => base, one)) as [Client, ...Client[]]
  const [first] = clients
  const customers = clients.map((client, i) => new Customer(client, new Random(`telemetry/${i}`), orders, PAUSE_MS))
  const stop = new AbortController()
  const work = Promise.all([...customers.map((customer) => customer.run(stop.signal)), browse(first, stop.signal)])
  return {
    first,
    get accepted(): number {
      return customers.reduce((sum, { answered }) => sum + answered.length, 0)
    },
    async [Symbol.asyncDispose](): Promise<void> {
      stop.abort()
      await work
      await backDoor[Symbol.asyncDispose]()
    },
  }
}

async function browse(client: Client, stop: AbortSignal): Promise<void> {
  // If it failed, the panel of removals has nothing to show.
  await deleteOne(client).catch(() => undefined)
  for (let n = 0; !stop.aborted; n++) {
    // While an engine is away, some are refused.
    await client.get(lookups[n % lookups.length] ?? '').catch(() => undefined)
    await sleep(BROWSE_MS)
  }
}

/** A job with content that its customer deletes. */
async function deleteOne(client: Client): Promise<void> {
  const jobId = await client.enqueue({ url: playing('youtube').url, mode: 'native' })
  await client.ended(jobId)
  const remove = () => client.delete(`/v1/jobs/${jobId}/content`)
  await until('it is settled, and deleted', async () => (await remove()).status === 200)
}
