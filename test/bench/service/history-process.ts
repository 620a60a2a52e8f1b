/** A process that fills a data directory with ended jobs, and makes the views from them. */
import { join } from 'node:path'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { serveCalls } from '../kit/serve-calls.ts'
import { accountsOf } from './accounts.ts'
import { type Customer, createCustomers } from './customers.ts'
import { PastJobs } from './past-jobs.ts'
import { rebuildViews } from './rebuild-views.ts'
import { storeIn } from './stores.ts'

export type HistoryFacts = {
  events: number
  customers: Customer[]
  writeSeconds: number
  /** How long it took to make all views from nothing, one after the other, as the service does. */
  rebuildSeconds: number
}

const CUSTOMERS = 50
/** Jobs of one organization that are written at once. */
const JOBS_AT_ONCE = 100

async function write({ dataDir, events: wanted }: { dataDir: string; events: number }): Promise<HistoryFacts> {
  const from = performance.now()
  const path = join(dataDir, 'events.sqlite')
  await using store = await openSqliteEventStore({ path })
  const customers = await createCustomers(store, CUSTOMERS)
  const accounts = await accountsOf(store, customers)
  const past = new PastJobs(store)
  let events = 0
  const fill = async (account: (typeof accounts)[number]): Promise<void> => {
    while (events < wanted) {
      // Awaits first: `events += await …` would add to the value from before the other writes.
      const written = await past.ended(account, JOBS_AT_ONCE)
      events += written
    }
  }
  await Promise.all(accounts.slice(0, Math.ceil(wanted / 10_000)).map(fill))
  const writeSeconds = (performance.now() - from) / 1000
  const rebuildSeconds = await rebuildViews(store, dataDir)
  return { events, customers, writeSeconds, rebuildSeconds }
}

export type OpenJobsOrder = {
  dataDir: string
  customers: Customer[]
  /** Jobs that are requested and not begun. */
  open: number
  /** Events of jobs that ended meanwhile, spread evenly between them. */
  among: number
  /** The video of the open jobs. */
  url: string
}

export type OpenedJob = Customer & { jobId: string }

const OPENED_AT_ONCE = 10

/** Adds open jobs to a history as a busy service has them: other jobs have begun and ended between them. */
async function addOpenJobs({ dataDir, customers, open, among, url }: OpenJobsOrder): Promise<OpenedJob[]> {
  await using store = await storeIn(dataDir)
  const accounts = await accountsOf(store, customers)
  const past = new PastJobs(store)
  const jobs: OpenedJob[] = []
  let events = 0
  for (let turn = 0; jobs.length < open; turn++) {
    const [account, customer] = [accounts[turn % accounts.length], customers[turn % customers.length]]
    if (account === undefined || customer === undefined) throw new Error('there is no customer for the jobs')
    const opened = await past.open(account, Math.min(OPENED_AT_ONCE, open - jobs.length), url)
    jobs.push(...opened.map((jobId) => ({ ...customer, jobId })))
    const due = (among * jobs.length) / open
    while (events < due) events += await past.ended(account, JOBS_AT_ONCE)
  }
  return jobs
}

serveCalls({ write, addOpenJobs })
