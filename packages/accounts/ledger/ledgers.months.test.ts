import { expect } from 'chai'
import fc from 'fast-check'
import { periodOf } from '#packages/domain/credits/months.ts'
import { Account } from '#packages/history/questions/verify/account.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { changePlan, debit, grant, memory, ORG, onOneStore, register, settle, storeAfter } from './ledger.harness.ts'
import type { LedgerEntry } from './ledger-entry.ts'

describe('the ledgers over the months', () => {
  it('let a refund of an earlier month expire, even if its debit is only in a statement', async () => {
    const old = Array.from({ length: 205 }, (_, n) => debit(`old-${n}`, 10))
    const { clock, one: writer, other, fold } = await storeAfter([register(), changePlan('pro'), ...old])
    clock.time = Date.UTC(2026, 1, 1)
    for (let n = 0; n < 250; n++) await writer.run(debit(`new-${n}`, 1))
    const { run, ledgers } = other
    const settled = (jobId: string) => run(settle(jobId, 0, 'timeout'))
    await Promise.all(Array.from({ length: 205 }, (_, n) => settled(`old-${n}`)))
    expect((await fold()).balance).to.equal(1750)
    await Promise.all(Array.from({ length: 250 }, (_, n) => settled(`new-${n}`)))
    expect((await fold()).balance).to.equal(2000)
    expect((await ledgers.current(ORG)).openDebits.size).to.equal(0)
  })

  /** A Pro organization of January, on a store with its own clock. */
  async function proOf() {
    const store = { time: Date.UTC(2026, 0, 15), now: () => store.time, sleep: async () => {} }
    const harness = onOneStore(() => memory(store))
    const lines: { alarm?: string }[] = []
    const log = { warn: (fields: object) => lines.push(fields) } as unknown as Logger
    /** A process with a clock this many milliseconds ahead of the store's. */
    const process = (aheadMs: number) => {
      const { run, feed, ledgers } = harness.process({}, log)
      const at = <T>(call: () => Promise<T>): Promise<T> => {
        harness.clock.time = store.time + aheadMs
        return call()
      }
      return { feed, run: (one: LedgerEntry) => at(() => run(one)), current: () => at(() => ledgers.current(ORG)) }
    }
    const first = process(0)
    for (const one of [register(), changePlan('pro')]) await first.run(one)
    const typed = async (type: string) => (await harness.stored()).filter((event) => event.type === type)
    const renewals = async () => (await typed('CreditsRenewed')).map(({ data }) => 'period' in data && data.period)
    return { ...harness, store, process, typed, renewals, lines }
  }
  const WEEKS = 40 * 24 * 3600_000
  const TURN = Date.UTC(2026, 1, 1)

  it('begin a month with the first command in it, however the clocks of the processes differ', async () => {
    const { store, process, renewals, fold } = await proOf()
    const [ahead, behind] = [process(3000), process(-3000)]
    store.time = TURN - 2000
    await ahead.run(debit('before', 10))
    await behind.run(debit('before too', 10))
    expect(await renewals(), 'one clock is in February').to.deep.equal(['2026-01'])
    store.time = TURN + 2000
    await ahead.run(debit('after', 10))
    await behind.run(settle('before', 0))
    expect(await renewals(), 'a refund of January expires').to.deep.equal(['2026-01', '2026-02', '2026-02'])
    expect((await fold()).balance).to.equal(1990)
  })

  it('show the renewal of a month without any event, and append nothing however often they are read', async () => {
    const { store, process, stored } = await proOf()
    const before = await stored()
    store.time = TURN + 1000
    for (const aheadMs of [0, 3000, -500]) {
      const one = process(aheadMs)
      for (let n = 0; n < 20; n++) expect((await one.current()).balance).to.equal(2000)
    }
    expect(await stored()).to.deep.equal(before)
  })

  for (const [name, command] of [
    ['that change it', (n: number) => debit(`job-${n}`, 1)],
    ['that change nothing', () => settle('none', 0)],
  ] as const)
    it(`begin a month once if three processes ask at once, by commands ${name}, and go on silently`, async () => {
      const { store, process, renewals, typed, stored } = await proOf()
      const processes = [0, 0, 0].map(process)
      // All processes know the ledger as it was in January.
      for (const one of processes) await one.current()
      store.time = TURN + 1000
      await Promise.all(processes.map((one, n) => one.run(command(n))))
      const statements = await typed('CreditsStated')
      expect(statements, 'of one the append was taken, the others were refused').to.have.length(1)
      const length = (await stored()).length
      for (let n = 0; n < 20; n++) await Promise.all(processes.map((one) => one.run(settle('none', 0))))
      expect(await stored(), 'nothing is appended again').to.have.length(length)
      await processes[0]?.run(debit('then', 1))
      expect(await renewals()).to.deep.equal(['2026-01', '2026-02'])
      expect(await typed('CreditsStated')).to.have.length(1)
    })

  it("follow the store's month if a clock is weeks ahead, ask for it once, and say so once", async () => {
    const { store, process, renewals, typed, lines } = await proOf()
    const ahead = process(WEEKS)
    for (let n = 0; n < 5; n++) await ahead.run(grant(1))
    expect(await renewals()).to.deep.equal(['2026-01'])
    expect(await typed('CreditsStated')).to.have.length(1)
    expect(lines).to.deep.equal([{ alarm: 'clock_ahead', orgId: ORG, aheadMs: WEEKS }])
    store.time = TURN + 1000
    await ahead.run(debit('february', 1))
    expect(await renewals()).to.deep.equal(['2026-01', '2026-02'])
  })

  it("follow the store's month if a clock is weeks behind, once they have read it", async () => {
    const { store, process, renewals } = await proOf()
    const behind = process(-WEEKS)
    await behind.run(grant(1))
    store.time = TURN + 1000
    await behind.run(grant(2))
    await behind.feed()
    await behind.run(debit('february', 1))
    expect(await renewals()).to.deep.equal(['2026-01', '2026-02'])
  })

  it("give each month once if the store's clock jumps, and continue in the true month", async () => {
    const { store, process, renewals, fold } = await proOf()
    const { run } = process(0)
    const at = async (year: number, month: number, jobId: string): Promise<void> => {
      store.time = Date.UTC(year, month - 1, 20)
      await run(debit(jobId, 1))
      await run(debit(`${jobId}, once more`, 1))
    }
    await at(2031, 5, 'in the future')
    await at(1970, 1, 'without a battery')
    await at(2026, 1, 'back')
    await at(2026, 2, 'february')
    expect(await renewals()).to.deep.equal(['2026-01', '2031-05', '2026-02'])
    expect((await fold()).balance).to.equal(1998)
    await at(2031, 5, 'the month that was given')
    await at(2031, 6, 'the month after it')
    expect((await renewals()).slice(3)).to.deep.equal(['2031-06'])
  })

  it('register and upgrade in one call: the plan gives its credits once the ledger has a month', async () => {
    const { run, fold } = await storeAfter([])
    await Promise.all([register(), changePlan('pro'), debit('a', 1)].map((one) => run(one)))
    expect(await fold()).to.include({ balance: 2049, period: '2026-01' })
  })

  it('add up for the customer, over all interleavings of renewal, refund and statement at a month’s turn', async () => {
    const act = fc.record({
      process: fc.nat(2),
      what: fc.constantFrom('debit', 'debit', 'settle', 'settle', 'grant', 'feed', 'restart'),
      ms: fc.constantFrom(0, 500, 1500, 4000),
    })
    const skews = fc.array(fc.constantFrom(0, 3000, -3000, WEEKS, -WEEKS), { minLength: 3, maxLength: 3 })
    const seen = { renewals: 0, lapsed: 0, statements: 0 }
    const acts = fc.array(act, { minLength: 10, maxLength: 30 })
    const property = fc.asyncProperty(skews, acts, fc.nat(8), async (skews, acts, unstated) => {
      const { store, process, stored, fold } = await proOf()
      const writer = process(0)
      for (let n = 0; n < 190 + unstated; n++) await writer.run(grant(1))
      store.time = TURN - 15_000
      const processes = skews.map(process)
      const underway: Promise<unknown>[] = []
      for (const [n, { process: index, what, ms }] of acts.entries()) {
        const own = processes[index] as ReturnType<typeof process>
        store.time += ms
        if (what === 'restart') processes[index] = process(skews[index] ?? 0)
        else if (what === 'feed') await own.feed()
        else if (what === 'grant') underway.push(own.run(grant(n + 1)))
        else if (what === 'debit') underway.push(own.run(debit(`job-${n}`, 10)))
        else for (const jobId of (await fold()).openDebits.keys()) underway.push(own.run(settle(jobId, 3)))
        if (ms > 0) await Promise.all(underway.splice(0))
      }
      await Promise.all(underway)
      const account = new Account()
      const events = await stored()
      for (const event of events) expect(account.apply(event), `${event.type} ${event.revision}`).to.deep.equal([])
      store.time += 60_000
      expect((await process(0).current()).balance).to.equal(account.toldIn(periodOf(store.time)))
      const renewed = events.flatMap((event) => (event.type === 'CreditsRenewed' ? [event.data] : []))
      seen.renewals += renewed.filter(({ credits }) => credits > 0).length - 1
      seen.lapsed += renewed.filter(({ credits }) => credits === 0).length
      seen.statements += events.filter(({ type }) => type === 'CreditsStated').length
    })
    await fc.assert(property, { numRuns: 60, seed: 34 })
    expect(seen.renewals, 'months begun').to.be.greaterThan(20)
    expect(seen.lapsed, 'refunds that expired').to.be.greaterThan(20)
    expect(seen.statements).to.be.greaterThan(60)
  })
})
