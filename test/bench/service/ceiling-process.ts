/** One service alone, fed with the events of jobs as all others record them. */
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { MemoryOwnership } from '#packages/adapters/memory/ownership.ts'
import { MemoryWorkQueue } from '#packages/adapters/memory/work-queue.ts'
import { openSqliteViews } from '#packages/adapters/sqlite/views.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { perStep } from '#packages/domain/job/events.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import { AttemptsUnderWay } from '#packages/jobs/processing/attempts-under-way.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { type Component, components } from '#services/host/components.ts'
import { runTogether } from '#services/host/run-together.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { Countdown } from '../kit/all-of.ts'
import { serveCalls } from '../kit/serve-calls.ts'
import { accountsOf } from './accounts.ts'
import { createCustomers } from './customers.ts'
import { observed } from './observed.ts'
import { type PlayedJob, play, playedJob } from './played-job.ts'

export type Feeding = {
  /** The service that is fed. Undefined: none, to measure the cost of feeding itself. */
  fed?: 'orchestrator' | 'projections'
  /** Whether settlements are fed as well. The orchestrator makes them itself. */
  settles: boolean
  directory: string
  jobs: number
}

/** Jobs that are at the same step at the same time. */
const AT_ONCE = 64
const WARM_UP_JOBS = 1000

const options = {
  works: {},
  slots: perStep(() => AT_ONCE),
  worker: 'bench',
  leaseSeconds: 30,
  windowSeconds: 3600,
  releaseClaimsAtStart: false,
  dropCached: async () => {},
}

/** Counts the settlements that the orchestrator appends. */
class CountingStore extends MemoryEventStore {
  readonly settled = new Countdown()

  override async append(...append: Parameters<MemoryEventStore['append']>) {
    const appended = await super.append(...append)
    for (const { type } of append[2]) if (type === 'CreditsSettled') this.settled.one()
    return appended
  }
}

/** Milliseconds of this process's CPU for each job. */
async function feed({ fed, settles, directory, jobs }: Feeding): Promise<number> {
  const store = new CountingStore({ clock })
  const shown = new Countdown()
  const customers = await createCustomers(store, WARM_UP_JOBS + jobs)
  const all = (await accountsOf(store, customers)).map(playedJob)
  const path = join(directory, `views-${fed}.sqlite`)
  await using views = await openSqliteViews({ path, clock, definition })
  await using queue = new MemoryWorkQueue()
  const ports = {
    store,
    queue,
    views: observed(views, () => shown.one()),
    ownership: new MemoryOwnership(),
    ledgers: new Ledgers({ store, clock, ids }),
    clock,
    ids,
    log: createLog('bench', 'error'),
    telemetry: noTelemetry,
    attempts: new AttemptsUnderWay(),
    processors: new Map(),
  }
  const component: Component[] = fed === undefined ? [] : [components[fed](ports, options)]
  await using running = runTogether(component, new AbortController().signal)
  await running.whenAll(component.map(({ ready }) => ready))

  const feedGroup = async (group: readonly PlayedJob[]): Promise<void> => {
    const done = fed === 'projections' ? shown.from(group.length) : store.settled.from(group.length)
    for (const stage of group[0]?.stages.keys() ?? []) {
      for (const { stages } of group) await play(store, stages[stage])
      await turn()
    }
    if (settles) for (const { settlement } of group) await play(store, settlement)
    if (fed !== undefined) await done
  }
  const feedAll = async (some: readonly PlayedJob[]): Promise<void> => {
    for (let from = 0; from < some.length; from += AT_ONCE) await feedGroup(some.slice(from, from + AT_ONCE))
  }
  await feedAll(all.slice(0, WARM_UP_JOBS))
  const before = process.cpuUsage()
  await feedAll(all.slice(WARM_UP_JOBS))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / jobs
}

serveCalls({ feed })
