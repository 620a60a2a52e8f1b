import { join } from 'node:path'
import { expect } from 'chai'
import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { openEventStoreDb } from '#packages/adapters/eventstoredb/event-store.ts'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { EVENTS_PER_STATEMENT } from '#packages/domain/credits/credits.ts'
import { readConfig } from '#packages/foundation/config/config.ts'
import { openArchive } from '#packages/history/archive/open-archive.ts'
import { streamsOfOrganization } from '#packages/history/archive/streams-of-organization.ts'
import { recordRemoval } from '#packages/history/removal/record-removal.ts'
import { storeChanges } from '#packages/history/retention/store-changes.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { DoubleProcess } from '#test/doubles/eventstoredb/double-process.ts'
import { addPastJobs } from '#test/doubles/service/past-jobs.ts'
import { until } from '#test/doubles/service/until.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { forgetInChildProcess, sweepInChildProcess } from './sweep-in-child-process.ts'

const ORG = 'org-1'

type Opened = { store: EventStore; task: Parameters<typeof sweepInChildProcess>[0] }

/** Stores in a folder, and how a separate process opens them. */
const engines = {
  async SQLite(folder: string, opening: AsyncDisposableStack): Promise<Opened> {
    const events = join(folder, 'events.sqlite')
    const store = opening.use(await openSqliteEventStore({ path: events }))
    return { store, task: { config: readConfig({}), events, directory: join(folder, 'archive'), program: 'test' } }
  },
  async EventStoreDB(folder: string, opening: AsyncDisposableStack): Promise<Opened> {
    // The double runs in its own process, because the child waits only two seconds for its answers.
    const { url } = opening.use(await DoubleProcess.start())
    const config = readConfig({ EVENT_STORE_URL: url })
    const store = opening.use(openEventStoreDb(url, { deadlineMs: 30_000, patienceMs: 60_000 }))
    return { store, task: { config, events: '', directory: join(folder, 'archive'), program: 'test' } }
  },
}

/** @returns ids of jobs that have ended */
async function addJobs(store: EventStore, count: number): Promise<string[]> {
  const metadata = { orgId: ORG, correlationId: 'test', causationId: 'test', traceparent: newTraceparent(false) }
  const grant = { command: { type: 'grant', credits: 1000, by: 'command' }, metadata } as const
  await new Ledgers({ store, clock, ids }).execute(ORG, grant)
  return addPastJobs({ store }, ORG, count, 2)
}

describe('a sweep in a child process', function () {
  this.timeout(60_000)

  for (const [name, openEngine] of Object.entries(engines))
    it(`removes through the service what the archive has, on ${name}`, async () => {
      await using folder = await temporaryDirectory()
      await using opening = new AsyncDisposableStack()
      const { store, task } = await openEngine(folder.path, opening)
      const jobs = await addJobs(store, EVENTS_PER_STATEMENT / 2)
      const sweep = sweepInChildProcess(task, storeChanges({ store, clock, ids, dropCached: async () => {} }))
      const swept = await sweep(clock.now() + 1000, new AbortController().signal)
      expect(swept).to.include({ jobs: jobs.length, ledgers: 1, unsettled: 0 })
      for (const jobId of jobs) expect(await store.isRemoved(streams.job(jobId))).to.equal(true)
      expect((await store.read(streams.credits(ORG)))[0]).to.include({ type: 'CreditsStated' })
    })

  it('removes forgotten streams from the archive, and adds nothing to it', async () => {
    await using folder = await temporaryDirectory()
    await using opening = new AsyncDisposableStack()
    const { store, task } = await engines.SQLite(folder.path, opening)
    const [forgotten = '', kept = ''] = await addJobs(store, 2)
    const ports = { store, clock, ids, dropCached: async () => {} }
    await sweepInChildProcess(task, storeChanges(ports))(0, new AbortController().signal)
    const data = { reason: 'forgotten', streams: [streams.job(forgotten)] } as const
    await recordRemoval(ports, { about: forgotten, orgId: ORG, cause: 'test', data }, 'no-stream')
    expect(await forgetInChildProcess(task)(new AbortController().signal)).to.equal(1)
    using archive = await openArchive(task.directory)
    const jobs = await streamsOfOrganization(archive, ORG)
    expect(jobs).to.deep.equal([streams.job(kept)])
  })

  it('ends with the service, once the change that it asked for is made', async () => {
    await using folder = await temporaryDirectory()
    await using opening = new AsyncDisposableStack()
    const { store, task } = await engines.SQLite(folder.path, opening)
    const [jobId = ''] = await addJobs(store, 1)
    const stop = new AbortController()
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    let isOver = false
    const changes = storeChanges({ store, clock, ids, dropCached: async () => {} })
    const sweep = sweepInChildProcess(task, {
      ...changes,
      async removeJobs() {
        stop.abort()
        await gate
      },
    })
    const over = sweep(clock.now() + 1000, stop.signal)
      .catch((error: unknown) => error)
      .finally(() => {
        isOver = true
      })
    await until('it is stopped in a change', () => stop.signal.aborted)
    await new Promise(setImmediate)
    expect(isOver).to.equal(false)
    open()
    expect(await over).to.be.instanceOf(Error)
    expect(await store.read(streams.job(jobId))).to.have.length(3)
  })

  it('reports what went wrong', async () => {
    await using folder = await temporaryDirectory()
    const events = join(folder.path, 'missing.sqlite')
    const task = { config: readConfig({}), events, directory: join(folder.path, 'archive'), program: 'test' }
    const none = async (): Promise<void> => {}
    const sweep = sweepInChildProcess(task, { removeJobs: none, truncate: none, removeRemovals: none })
    const error = await sweep(clock.now(), new AbortController().signal).catch((thrown: unknown) => thrown)
    expect(String(error)).to.include('missing.sqlite')
  })
})
