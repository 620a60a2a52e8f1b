import { expect } from 'chai'
import { MemoryEventStore, MemoryEvents } from '#packages/adapters/memory/event-store.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { debit, entry, grant, ORG, onOneStore } from './ledger.harness.ts'

const memory = (clock: Clock) => {
  const events = new MemoryEvents()
  return () => new MemoryEventStore({ clock, events })
}

describe('the ledgers over the months', () => {
  it('let a refund of an earlier month expire, also where its debit is only in a statement', async () => {
    const { clock, process, fold } = onOneStore(memory)
    const writer = process()
    await writer.run(entry({ type: 'register' }))
    await writer.run(entry({ type: 'change-plan', plan: 'pro' }))
    const debitedAt = clock.time
    for (let n = 0; n < 205; n++) await writer.run(debit(`old-${n}`, 10))
    clock.time = Date.UTC(2026, 1, 1)
    for (let n = 0; n < 250; n++) await writer.run(debit(`new-${n}`, 1))
    const { run, ledgers } = process()
    const settled = (jobId: string, at: number) =>
      run(entry({ type: 'settle', jobId, charged: 0, reason: 'timeout', debitedAt: at }))
    await Promise.all(Array.from({ length: 205 }, (_, n) => settled(`old-${n}`, debitedAt)))
    expect((await fold()).balance).to.equal(1750)
    await Promise.all(Array.from({ length: 250 }, (_, n) => settled(`new-${n}`, clock.time)))
    expect((await fold()).balance).to.equal(2000)
    expect((await ledgers.current(ORG)).openDebits.size).to.equal(0)
  })

  describe('whose clock', () => {
    /** A Pro organization of January. */
    async function proOf(harness: ReturnType<typeof onOneStore>) {
      const { run } = harness.process()
      await run(entry({ type: 'register' }))
      await run(entry({ type: 'change-plan', plan: 'pro' }))
      const renewals = async () =>
        (await harness.stored()).flatMap(({ type, data }) => (type === 'CreditsRenewed' ? [data.period] : []))
      return { renewals }
    }

    for (const sameProcess of [true, false])
      it(`ran ahead once, renew again from the true month on, ${sameProcess ? 'also while running' : 'after a restart'}`, async () => {
        const harness = onOneStore(memory)
        const { renewals } = await proOf(harness)
        const kept = harness.process()
        const own = () => (sameProcess ? kept : harness.process())
        const at = async (year: number, month: number, ...jobs: string[]) => {
          harness.clock.time = Date.UTC(year, month - 1, 20)
          for (const jobId of jobs) await own().run(debit(jobId, 1))
        }
        await at(2031, 5, 'in the future')
        expect(await renewals()).to.deep.equal(['2026-01', '2031-05'])
        await at(2026, 1, 'back', 'again')
        await at(2026, 2, 'february', 'once')
        await at(2026, 4, 'april')
        expect(await renewals()).to.deep.equal(['2026-01', '2031-05', '2026-02', '2026-04'])
        expect((await own().ledgers.current(ORG)).balance).to.equal(1999)
        await at(2031, 4, 'april 2031')
        await at(2031, 5, 'the month already renewed')
        await at(2031, 6, 'the month after it')
        expect((await renewals()).slice(4)).to.deep.equal(['2031-04', '2031-06'])
      })

    it('ran ahead, remember the renewed months across a statement', async () => {
      const harness = onOneStore(memory)
      const { renewals } = await proOf(harness)
      const { run } = harness.process()
      const at = (year: number, month: number): void => {
        harness.clock.time = Date.UTC(year, month - 1, 20)
      }
      at(2026, 3)
      await run(debit('ahead', 1))
      at(2026, 1)
      for (let n = 0; n < 250; n++) await run(grant(1))
      const later = harness.process()
      at(2026, 2)
      for (let n = 0; n < 250; n++) await later.run(grant(1))
      const last = harness.process()
      at(2026, 3)
      await last.run(debit('march', 1))
      at(2026, 4)
      await last.run(debit('april', 1))
      const months = (await renewals()).filter((month, index, all) => all.indexOf(month) === index)
      expect(months).to.deep.equal(['2026-01', '2026-03', '2026-02', '2026-04'])
      const given = (await harness.stored()).flatMap(({ type, data }) =>
        type === 'CreditsRenewed' ? [data.credits] : [],
      )
      expect(given.filter((credits) => credits > 0)).to.have.length(4)
    })

    for (const { how, skewMs, expected } of [
      { how: 'behind', skewMs: -3000, expected: ['2027-02'] },
      { how: 'ahead of', skewMs: 3000, expected: ['2027-02', '2026-12'] },
    ])
      it(`is ${how} the store's as a month turns, count from the month that the store has recorded`, async () => {
        const turn = Date.UTC(2026, 11, 1)
        const store = { time: turn - Math.sign(skewMs) * 1000, now: () => store.time, sleep: async () => {} }
        const harness = onOneStore(() => memory(store))
        harness.clock.time = Date.UTC(2027, 1, 15)
        const { renewals } = await proOf(harness)
        const { run } = harness.process()
        for (const jobId of ['as it turns', 'soon after']) {
          harness.clock.time = store.time + skewMs
          await run(debit(jobId, 1))
          store.time += 5000
        }
        expect(await renewals()).to.deep.equal(expected)
      })

    it('is ahead as a month turns, refund a debit that was stated since to the new month', async () => {
      const store = { time: Date.UTC(2026, 10, 20), now: () => store.time, sleep: async () => {} }
      const harness = onOneStore(() => memory(store))
      const { run } = harness.process()
      harness.clock.time = store.time
      await run(entry({ type: 'register' }))
      await run(entry({ type: 'change-plan', plan: 'pro' }))
      for (let n = 0; n < 190; n++) await run(grant(1))
      store.time = Date.UTC(2026, 11, 1) - 5000
      harness.clock.time = store.time + 8000
      const debitedAt = store.time
      await run(debit('a', 10))
      for (let n = 0; n < 10; n++) await run(grant(1))
      expect((await harness.stored()).map(({ type }) => type)).to.include('CreditsStated')
      await run(entry({ type: 'settle', jobId: 'a', charged: 0, reason: 'cancelled', debitedAt }))
      expect((await harness.fold()).balance).to.equal(2010)
    })

    it('is behind the newest event, write no renewal, and log it once', async () => {
      const harness = onOneStore(memory)
      const { renewals } = await proOf(harness)
      harness.clock.time = Date.UTC(2026, 2, 1, 12)
      await harness.process().run(grant(1))
      const lines: object[] = []
      const log = { warn: (fields: object) => lines.push(fields) } as unknown as Logger
      const { run, ledgers } = harness.process({}, log)
      harness.clock.time = Date.UTC(2026, 1, 1, 12)
      expect((await ledgers.current(ORG)).balance).to.equal(2001)
      await run(debit('a', 1))
      expect(await renewals()).to.deep.equal(['2026-01', '2026-03'])
      await ledgers.current(ORG)
      expect(lines).to.deep.equal([
        { alarm: 'clock_behind', orgId: ORG, behindMs: 28 * 24 * 3600 * 1000 },
        { alarm: 'clock_ran_ahead', orgId: ORG, period: '2026-03', countsFrom: '2026-02' },
      ])
    })
  })
})
