/** A process that lives one day of a service, which its clock says: jobs come and end, and older ones are removed. */
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { loadStated } from '#packages/ledger/load-stated.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { exportAndSweep } from '#packages/retention/export-and-sweep.ts'
import { storeChanges } from '#packages/retention/store-changes.ts'
import type { Swept } from '#packages/retention/sweep.ts'
import { serveCalls } from '../kit/serve-calls.ts'
import { type Customer, createCustomers } from './customers.ts'
import { type Account, PastJobs } from './past-jobs.ts'

export type Day = { dataDir: string; customers: readonly Customer[]; jobs: number; keepMs: number }
export type DayFacts = {
  customers: readonly Customer[]
  appendSeconds: number
  swept: Swept & { seconds: number }
  /** Of the event file, and of the archive. */
  bytes: number
  archived: number
}

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
  let jobsBegun = 0
  const work = async (account: Account): Promise<void> => {
    for (; jobsBegun < jobs; await past.ended(account, JOBS_AT_ONCE)) jobsBegun += JOBS_AT_ONCE
  }
  await Promise.all(accounts.map(work))
  const appendSeconds = (performance.now() - from) / 1000
  const begun = performance.now()
  const directory = join(dataDir, 'archive')
  const options = { directory, origin: store.origin.id, program: 'bench', cutoff: Date.now() - keepMs }
  const swept = await exportAndSweep(store, storeChanges({ store, clock, ids, dropCached: async () => {} }), options)
  const seconds = (performance.now() - begun) / 1000
  const archived = globSync(join(directory, 'events/**/*.parquet')).reduce((sum, file) => sum + statSync(file).size, 0)
  return { customers, appendSeconds, swept: { ...swept, seconds }, bytes: await sizeAtRest(path), archived }
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
