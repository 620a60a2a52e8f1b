import { join } from 'node:path'
import { expect } from 'chai'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { readConfig } from '#packages/config/config.ts'
import { Ledgers } from '#packages/ledger/ledgers.ts'
import { streams } from '#packages/ports/ids.ts'
import { storeChanges } from '#packages/retention/store-changes.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { addPastJobs } from '#test/doubles/service/past-jobs.ts'
import { until } from '#test/doubles/service/until.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { sweepBeside } from './sweep-beside.ts'

describe('a sweep in a process of its own', function () {
  this.timeout(60_000)

  it('removes through the service what is in the archive, and ends with the service', async () => {
    await using folder = await temporaryDirectory()
    const events = join(folder.path, 'events.sqlite')
    await using store = await openSqliteEventStore({ path: events })
    const metadata = { orgId: 'org-1', correlationId: 'test', causationId: 'test', traceparent: newTraceparent(false) }
    const grant = { command: { type: 'grant', credits: 100 }, metadata } as const
    await new Ledgers({ store, clock, ids }).execute('org-1', () => grant)
    const jobs = await addPastJobs({ store }, 'org-1', 5, 2)
    const changes = storeChanges({ store, clock, ids, dropCached: async () => {} })
    const task = { config: readConfig({}), events, directory: join(folder.path, 'archive'), program: 'test' }
    const sweep = sweepBeside(task, changes)

    const stop = new AbortController()
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    let isOver = false
    const slow = sweepBeside(task, {
      ...changes,
      async removeJobs() {
        stop.abort()
        await gate
      },
    })(clock.now() + 1000, stop.signal)
    const over = slow.catch((error: unknown) => error).finally(() => (isOver = true))
    await until('it is stopped in a change', () => stop.signal.aborted)
    await new Promise(setImmediate)
    expect(isOver, 'the change is waited for').to.equal(false)
    open()
    expect(await over).to.be.instanceOf(Error)
    expect(await store.read(streams.job(jobs[0] ?? ''))).to.have.length(3)

    const swept = await sweep(clock.now() + 1000, new AbortController().signal)
    expect(swept).to.include({ jobs: 5, events: 15 })
    for (const jobId of jobs) expect(await store.isRemoved(streams.job(jobId))).to.equal(true)
    expect(await store.read(streams.credits('org-1'))).to.have.length(11)
  })

  it('says what went wrong', async () => {
    await using folder = await temporaryDirectory()
    const events = join(folder.path, 'missing.sqlite')
    const task = { config: readConfig({}), events, directory: join(folder.path, 'archive'), program: 'test' }
    const sweep = sweepBeside(task, {
      removeJobs: ids.uuid as never,
      truncate: ids.uuid as never,
      removeRemovals: ids.uuid as never,
    })
    const error = await sweep(clock.now(), new AbortController().signal).catch((thrown: unknown) => thrown)
    expect(String(error)).to.include('missing.sqlite')
  })
})
