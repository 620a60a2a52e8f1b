/** A process that runs one day of a service, by its own clock: jobs come and end, and retention removes older ones. */
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { loadStated } from '#packages/accounts/ledger/load-stated.ts'
import { openSqliteEventStore, type SqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { exportAndSweep } from '#packages/history/retention/export-and-sweep.ts'
import { storeChanges } from '#packages/history/retention/store-changes.ts'
import type { StoreChanges } from '#packages/history/retention/sweep.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { until } from '#test/doubles/service/until.ts'
import { serveCalls } from '../kit/serve-calls.ts'
import { type Customer, createCustomers } from './customers.ts'
import { type Account, PastJobs } from './past-jobs.ts'

export type Day = { dataDir: string; customers: readonly Customer[]; jobs: number; keepMs: number }
export type DayFacts = {
  customers: readonly Customer[]
  appendSeconds: number
  swept: Swept
  /** Bytes of the event file, and of the archive. */
  bytes: number
  archived: number
}

/**
 * The number of jobs that retention removed, the seconds during which it changed the store, and those of the whole
 * sweep with its export.
 */
export type Swept = { jobs: number; removeSeconds: number; seconds: number }

const CUSTOMERS = 20
const JOBS_AT_ONCE = 25

/** A store keeps some free pages for the next events. */
const FEW_PAGES = 100
const SHRUNK_WITHIN_SECONDS = 60

async function live(day: Day): Promise<DayFacts> {
  const path = join(day.dataDir, 'events.sqlite')
  const archive = join(day.dataDir, 'archive')
  const facts = await work(day, { path, archive })
  const archived = globSync(join(archive, 'events/**/*.parquet')).reduce((sum, file) => sum + statSync(file).size, 0)
  // The store is closed by now, so its log is empty.
  return { ...facts, bytes: statSync(path).size, archived }
}

async function work({ customers: known, jobs, keepMs }: Day, { path, archive }: { path: string; archive: string }) {
  await using store = await openSqliteEventStore({ path })
  const customers = known.length > 0 ? known : await createCustomers(store, CUSTOMERS)
  const accounts = await Promise.all(customers.map((customer) => accountOf(store, customer)))
  const past = new PastJobs(store)
  const from = performance.now()
  let begun = 0
  const appendTo = async (account: Account): Promise<void> => {
    for (; begun < jobs; await past.ended(account, JOBS_AT_ONCE)) begun += JOBS_AT_ONCE
  }
  await Promise.all(accounts.map(appendTo))
  const appendSeconds = (performance.now() - from) / 1000
  const swept = await sweep(store, archive, Date.now() - keepMs)
  await shrunk(path)
  return { customers, appendSeconds, swept }
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
  const { revision, ledger: credits } = await loadStated(store.readBackwards(streams.credits(orgId)))
  if (typeof revision !== 'number') throw new Error(`${orgId} has no ledger`)
  return { orgId, credits, revision }
}

/** Waits until nearly all free pages have been returned to the disk. */
async function shrunk(path: string): Promise<void> {
  using database = new DatabaseSync(path, { readOnly: true })
  const free = database.prepare('PRAGMA freelist_count')
  const isShrunk = () => Number(free.get()?.freelist_count) <= FEW_PAGES
  await until('the file is shrunk', isShrunk, { seconds: SHRUNK_WITHIN_SECONDS })
}

serveCalls({ live })
