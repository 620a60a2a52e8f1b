/** A process that folds a feed into memory as the orchestrator does, and measures the size of its state. */

import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { MemoryOwnership } from '#packages/adapters/memory/ownership.ts'
import { MemoryWorkQueue } from '#packages/adapters/memory/work-queue.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { runTogether } from '#services/host/run-together.ts'
import { OpenJobs } from '#services/orchestrator/open-jobs.ts'
import { Orchestrator } from '#services/orchestrator/orchestrator.ts'
import { SlotShares } from '#services/orchestrator/slot-shares.ts'
import { serveCalls } from '../kit/serve-calls.ts'
import { accountsOf } from './accounts.ts'
import { createCustomers } from './customers.ts'
import { VIDEO_URL } from './noop-steps.ts'
import { PastJobs } from './past-jobs.ts'
import { storeIn, viewsIn } from './stores.ts'

/** Events per second, from the file to the fold. */
async function fold({ dataDir }: { dataDir: string }): Promise<number> {
  await using store = await storeIn(dataDir)
  const jobs = new OpenJobs()
  const stop = new AbortController()
  const from = performance.now()
  let events = 0
  for await (const batch of store.follow({ after: 0, prefixes: ['credits-', 'job-'], signal: stop.signal })) {
    for (const event of batch.events) jobs.apply(event)
    events += batch.events.length
    if (batch.caughtUp) stop.abort()
  }
  return (events * 1000) / (performance.now() - from)
}

const ORGANIZATIONS = 50
/** Debits that are written at once. */
const JOBS_AT_ONCE = 50

function heapBytes(): number {
  if (globalThis.gc === undefined) throw new Error('this process is to be started with --expose-gc')
  globalThis.gc()
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Bytes that an orchestrator keeps in memory for each open job, if this many wait for their first step. */
async function bytesPerOpenJob({ dataDir, jobs }: { dataDir: string; jobs: number }): Promise<number> {
  await using store = await storeIn(dataDir)
  await using views = await viewsIn(dataDir, store)
  await using queue = new MemoryWorkQueue()
  const accounts = await accountsOf(store, await createCustomers(store, ORGANIZATIONS))
  const past = new PastJobs(store)
  const each = Math.max(1, Math.round(jobs / ORGANIZATIONS))
  for (const account of accounts)
    for (let left = each; left > 0; left -= JOBS_AT_ONCE)
      await past.open(account, Math.min(left, JOBS_AT_ONCE), VIDEO_URL)
  accounts.splice(0)
  const log = createLog('bench', 'error')
  const ports = {
    store,
    views,
    queue,
    ledgers: new Ledgers({ store, clock, ids }),
    clock,
    ids,
    log,
    telemetry: noTelemetry,
    ownership: new MemoryOwnership(),
  }
  const slots = new SlotShares({ fetch: 8, caption: 4, 'speech-to-text': 4, extract: 1 })
  const before = heapBytes()
  const orchestrator = new Orchestrator(ports, {
    slots,
    windowSeconds: 3600,
    releaseClaimsAtStart: true,
  })
  await using running = runTogether([orchestrator], new AbortController().signal)
  await running.whenAll([orchestrator.ready])
  return (heapBytes() - before) / (each * ORGANIZATIONS)
}

serveCalls({ fold, bytesPerOpenJob })
