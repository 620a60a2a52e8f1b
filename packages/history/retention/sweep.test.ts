import { globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { listTransactions } from '#packages/accounts/ledger/list-transactions.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { EVENTS_PER_STATEMENT } from '#packages/domain/credits/credits.ts'
import { allOf, exported } from '#packages/history/archive/archived-store.fixture.ts'
import { verifyHistory } from '#packages/history/questions/verify/verify-history.ts'
import { streams } from '#packages/ports/ids.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { openedForEach } from '#test/doubles/opened.ts'
import { DAY_MS, Past } from './sweep.harness.ts'
import type { StoreChanges } from './sweep.ts'

const ORG = 'org-1'

const nothing = { jobs: 0, events: 0, ledgers: 0, removals: 0, unsettled: 0, differing: [] }

describe('a sweep', () => {
  const past = openedForEach(Past.open)
  beforeEach(async () => {
    for (const orgId of [ORG, 'org-2']) await past.execute(orgId, { type: 'grant', credits: 10_000, by: 'command' })
  })

  it('removes jobs that ended before the cutoff, by an event for each organization, and no others', async () => {
    const [old, others] = [await past.jobs(ORG, 3), await past.jobs('org-2', 2)]
    const slow = await past.begin(ORG)
    await past.clock.jump(DAY_MS)
    await past.end(ORG, slow)
    await past.settle(ORG, slow)
    const young = await past.jobs(ORG, 1)
    await past.clock.jump(1)
    expect(await past.sweep()).to.deep.equal({ ...nothing, jobs: 5, events: 10 })
    expect(await past.left([...old, ...others, slow, ...young])).to.deep.equal([slow, ...young])
    const removals = (await allOf(past.store)).filter((event) => event.type === 'StreamsRemoved')
    const named = Object.fromEntries(removals.map(({ metadata, data }) => [metadata.orgId, [...data.streams].sort()]))
    expect(named).to.deep.equal({ [ORG]: old.map(streams.job).sort(), 'org-2': others.map(streams.job).sort() })
    expect(await past.sweep()).to.deep.equal(nothing)
  })

  it('begins no second archive if its folder was emptied or is not mounted, unless an operator did', async () => {
    await past.jobs(ORG, 1)
    await past.clock.jump(2 * DAY_MS)
    await past.sweep()
    const [later] = await past.jobs(ORG, 1)
    await past.clock.jump(2 * DAY_MS)
    for (const name of readdirSync(past.directory)) rmSync(join(past.directory, name), { recursive: true })
    for (const _again of [1, 2])
      expect((await failureOf<Error>(past.sweep())).message).to.match(/is empty, and another archive has what has left/)
    expect(await past.left([later ?? ''])).to.have.length(1)
    await exported(past.store, past.directory)
    expect(await past.sweep()).to.include({ jobs: 1 })
  })

  it('leaves a job with an open debit, and removes it once it is settled', async () => {
    const jobId = await past.begin(ORG)
    await past.end(ORG, jobId)
    await past.clock.jump(2 * DAY_MS)
    expect(await past.sweep()).to.deep.equal({ ...nothing, unsettled: 1 })
    await past.settle(ORG, jobId)
    await past.clock.jump(30 * DAY_MS)
    expect((await past.sweep()).jobs).to.equal(1)
    expect(await past.left([jobId])).to.deep.equal([])
  })

  it('leaves a job that differs from the archive, and says which', async () => {
    const [changed = '', same = ''] = await past.jobs(ORG, 2)
    await past.clock.jump(2 * DAY_MS)
    const read = past.store.read.bind(past.store)
    Object.assign(past.store, {
      read: async (stream: string, ...options: []) => {
        const events = await read(stream, ...options)
        return stream === streams.job(changed) ? events.map((event) => ({ ...event, id: ids.uuid() })) : events
      },
    })
    expect(await past.sweep()).to.deep.include({ jobs: 1, differing: [streams.job(changed)] })
    Object.assign(past.store, { read })
    expect(await past.left([changed, same])).to.deep.equal([changed])
    expect((await past.sweep()).jobs).to.equal(1)
  })

  it('removes nothing if its file in the archive is damaged', async () => {
    const jobs = await past.jobs(ORG, 3)
    await past.clock.jump(DAY_MS / 2)
    await past.sweep()
    await past.clock.jump(DAY_MS)
    const [path = ''] = globSync(join(past.directory, 'events/*/job/*.parquet'))
    const whole = readFileSync(path)
    const changed = Buffer.from(whole)
    changed.writeUInt8(changed.readUInt8(100) ^ 1, 100)
    for (const damaged of [changed, whole.subarray(0, -1), Buffer.alloc(0)]) {
      writeFileSync(path, damaged)
      const error = await past.sweep().catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(Error)
      expect(await past.left(jobs)).to.deep.equal(jobs)
    }
    writeFileSync(path, whole)
    expect((await past.sweep()).jobs).to.equal(3)
  })

  it('truncates a ledger before its last old statement, if the jobs before that are gone', async () => {
    const oldTime = past.clock.now()
    const old = await past.jobs(ORG, EVENTS_PER_STATEMENT)
    await past.clock.jump(2 * DAY_MS)
    const young = await past.jobs(ORG, EVENTS_PER_STATEMENT)
    const { balance } = await past.ledgers.current(ORG)
    const before = await past.store.read(streams.credits(ORG))
    const swept = await past.sweep()
    expect(swept).to.deep.include({ jobs: old.length, ledgers: 1 })
    const [first, ...later] = await past.store.read(streams.credits(ORG))
    const statement = before.findLast(({ type, recordedAt }) => type === 'CreditsStated' && recordedAt === oldTime)
    expect(['CreditsRenewed', 'CreditsStated']).to.include(first?.type)
    expect(later.find(({ revision }) => revision === statement?.revision) ?? first).to.deep.equal(statement)
    expect((statement?.revision ?? 0) - (first?.revision ?? 0)).to.be.lessThan(3)
    const afresh = new Ledgers({ store: past.store, clock: past.clock, ids })
    expect((await afresh.current(ORG)).balance).to.equal(balance)
    await past.jobs(ORG, 3)
    expect(await past.left(young)).to.deep.equal(young)
    expect(await past.sweep()).to.deep.equal(nothing)
  })

  it('leaves a history that keeps every invariant', async () => {
    await past.jobs(ORG, EVENTS_PER_STATEMENT)
    await past.clock.jump(2 * DAY_MS)
    await past.jobs(ORG, 10)
    expect(await past.sweep()).to.include({ jobs: EVENTS_PER_STATEMENT, ledgers: 1 })
    const isRemoved = (stream: string): Promise<boolean> => past.store.isRemoved(stream)
    const { outcomes } = await verifyHistory(past.store, { isRemoved })
    expect(outcomes.length).to.be.greaterThan(5)
    expect(outcomes.filter(({ broken }) => broken > 0)).to.deep.equal([])
  })

  it('keeps the debit of a job that still exists', async () => {
    const open = await past.begin(ORG)
    await past.jobs(ORG, EVENTS_PER_STATEMENT)
    await past.clock.jump(2 * DAY_MS)
    expect((await past.sweep()).ledgers).to.equal(0)
    await past.end(ORG, open)
    await past.settle(ORG, open)
    expect((await past.sweep()).ledgers).to.equal(0)
    await past.clock.jump(DAY_MS + 1)
    expect((await past.sweep()).ledgers).to.equal(1)
    const { transactions } = await listTransactions(past.store, ORG, { cursor: undefined, limit: 500 })
    expect(transactions.reduce((sum, { amount }) => sum + amount, 0)).to.equal(
      (await past.ledgers.current(ORG)).balance,
    )
  })

  it('removes events that record removals once they are old themselves', async () => {
    await past.jobs(ORG, 1)
    await past.clock.jump(2 * DAY_MS)
    expect((await past.sweep()).removals).to.equal(0)
    await past.clock.jump(2 * DAY_MS)
    // Exported by the previous sweep, and older than the retention at this one.
    expect((await past.sweep()).removals).to.equal(1)
    expect(await past.sweep()).to.deep.equal(nothing)
  })

  it('may be interrupted at any change and repeated without harm', async () => {
    const jobs = [...(await past.jobs(ORG, EVENTS_PER_STATEMENT)), ...(await past.jobs('org-2', 2))]
    await past.clock.jump(2 * DAY_MS)
    let cuts = 0
    for (let done = false; !done; ) {
      let left = cuts % 3
      const cut = (act: () => Promise<void>): Promise<void> => {
        if (left-- > 0) return act()
        throw new Error('cut off')
      }
      const { removeJobs, truncate, removeRemovals } = past.changes
      const changes: StoreChanges = {
        removeJobs: (...given) => cut(() => removeJobs(...given)),
        truncate: (...given) => cut(() => truncate(...given)),
        removeRemovals: (...given) => cut(() => removeRemovals(...given)),
      }
      done = await past.sweep(changes).then(
        () => true,
        () => false,
      )
      cuts++
    }
    expect(cuts).to.be.greaterThan(2)
    expect(await past.left(jobs)).to.deep.equal([])
    expect((await past.store.read(streams.credits(ORG)))[0]?.revision).to.be.greaterThan(0)
    expect(await past.sweep()).to.deep.equal(nothing)
  })

  it('continues with jobs that an event has named and a crash has left', async () => {
    const [named = '', other = ''] = (await past.jobs(ORG, 2)).map(streams.job)
    await past.clock.jump(2 * DAY_MS)
    const remove = past.store.remove.bind(past.store)
    Object.assign(past.store, {
      remove: async () => {
        throw new Error('cut off')
      },
    })
    await past.changes.removeJobs(ORG, [named]).catch(() => {})
    Object.assign(past.store, { remove })
    await past.changes.removeJobs(ORG, [named, other])
    expect(await past.store.isRemoved(named)).to.equal(true)
    expect(await past.store.isRemoved(other)).to.equal(true)
  })
})
