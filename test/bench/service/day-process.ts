/** A process that lives one day of a service, which its clock says: jobs come and end, and retention takes older ones out. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSqliteEventStore, type SqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { loadStated } from '#packages/ledger/load-stated.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { exportAndSweep } from '#packages/retention/export-and-sweep.ts'
import { storeChanges } from '#packages/retention/store-changes.ts'
import type { StoreChanges } from '#packages/retention/sweep.ts'
import { serveCalls } from '../kit/serve-calls.ts'
import { type Customer, createCustomers } from './customers.ts'
import { type Account, PastJobs } from './past-jobs.ts'

export type Day = { dataDir: string; customers: readonly Customer[]; jobs: number; keepMs: number }
export type DayFacts = { customers: readonly Customer[]; appendSeconds: number; swept: Swept; bytes: number }

/** What retention took out, how long the store was changed for it, and how long all of it took with the export. */
export type Swept = { jobs: number; removeSeconds: number; seconds: number }

const CUSTOMERS = 20
const JOBS_AT_ONCE = 25

/** The file counts as at rest when its size stays the same for so long, milliseconds. */
const AT_REST_MS = 1000

async function live({ dataDir, customers: known, jobs, keepMs }: Day): Promise<DayFacts> {
  const path = join(dataDir, 'events.sqlite')
  await using store = await openSqliteEventStore({ path })
  const customers = known.length > 0 ? known : await createCustomers(store, CUSTOMERS)
  const accounts = await Promise.all(customers.map((customer) => accountOf(store, customer)))
  const past = new PastJobs(store)
  const from = performance.now()
  let begun = 0
  const work = async (account: Account): Promise<void> => {
    for (; begun < jobs; await past.ended(account, JOBS_AT_ONCE)) begun += JOBS_AT_ONCE
  }
  await Promise.all(accounts.map(work))
  const appendSeconds = (performance.now() - from) / 1000
  const swept = await sweep(store, join(dataDir, 'archive'), Date.now() - keepMs)
  return { customers, appendSeconds, swept, bytes: await sizeAtRest(path) }
}

async function sweep(store: SqliteEventStore, directory: string, cutoff: number): Promise<Swept> {
  const changes = storeChanges({ store, clock, ids, dropCached: async () => undefined })
  let removeSeconds = 0
  const timed: StoreChanges = {
    ...changes,
    async removeJobs(orgId, jobs) {
      const from = performance.now()
      await changes.removeJobs(orgId, jobs)
      removeSeconds += (performance.now() - from) / 1000
    },
  }
  const from = performance.now()
  const options = { directory, origin: store.origin.id, program: 'bench', cutoff }
  const { jobs } = await exportAndSweep(store, timed, options)
  return { jobs, removeSeconds, seconds: (performance.now() - from) / 1000 }
}

async function accountOf(store: EventStore, { orgId }: Customer): Promise<Account> {
  const { revision, ...credits } = await loadStated(store.readBackwards(streams.credits(orgId)))
  if (typeof revision !== 'number') throw new Error(`${orgId} has no ledger`)
  return { orgId, credits, revision }
}

/** The bytes of the file with its log, once it shrinks no more. */
async function sizeAtRest(path: string): Promise<number> {
  const size = () => statSync(path).size + statSync(`${path}-wal`).size
  for (let before = size(); ; ) {
    await sleep(AT_REST_MS)
    const now = size()
    if (now === before) return now
    before = now
  }
}

serveCalls({ live })
