/** A process that fills a data directory with ended jobs, and makes the views that follow from them. */
import { join } from 'node:path'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { serveCalls } from '../kit/serve-calls.ts'
import { accountsOf } from './accounts.ts'
import { type Customer, createCustomers } from './customers.ts'
import { PastJobs } from './past-jobs.ts'
import { rebuildViews } from './rebuild-views.ts'

export type HistoryFacts = {
  events: number
  customers: Customer[]
  writeSeconds: number
  /** How long all views took to be made from nothing, one after the other as the service makes them. */
  rebuildSeconds: number
}

const CUSTOMERS = 50
/** Jobs of one organization that are written at once. */
const JOBS_AT_ONCE = 20

async function write({ dataDir, events: wanted }: { dataDir: string; events: number }): Promise<HistoryFacts> {
  const from = performance.now()
  const path = join(dataDir, 'events.sqlite')
  await using store = await openSqliteEventStore({ path })
  const customers = await createCustomers(store, CUSTOMERS)
  const accounts = await accountsOf(store, customers)
  const past = new PastJobs(store)
  let events = 0
  const fill = async (account: (typeof accounts)[number]): Promise<void> => {
    while (events < wanted) events += await past.ended(account, JOBS_AT_ONCE)
  }
  await Promise.all(accounts.slice(0, Math.ceil(wanted / 10_000)).map(fill))
  const writeSeconds = (performance.now() - from) / 1000
  const rebuildSeconds = await rebuildViews(store, join(dataDir, 'views.sqlite'))
  return { events, customers, writeSeconds, rebuildSeconds }
}

serveCalls({ write })
