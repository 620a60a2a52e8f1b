import { expect } from 'chai'
import fc from 'fast-check'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { debit, granted, settle } from '#packages/domain/credits/credits.fixture.ts'
import { type CreditsCommand, credits, evolveAll, inMonthOf } from '#packages/domain/credits/credits.ts'
import { heldIn } from '#packages/domain/credits/ledger.ts'
import { usage } from '#packages/events/views/usage.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { usageCsvOf } from './csv.ts'
import { type LedgerStoredEvent, storedAt } from './stored-ledger.fixture.ts'
import { readUsage, sumUsage, type UsageQuestion, usageGroups } from './sum-usage.ts'

const ORG = 'acme'
const DAY_MS = 24 * 60 * 60 * 1000
const start = Date.UTC(2026, 0, 1)
const dayAfter = (days: number): string => new Date(start + days * DAY_MS).toISOString().slice(0, 10)

const none = { jobs: 0, creditsCharged: 0, creditsRefunded: 0 }

/** Views of these events. The projector has its own tests; here each event is applied alone. */
async function viewsOf(events: readonly LedgerStoredEvent[]): Promise<MemoryViews> {
  const views = new MemoryViews({ clock, definition })
  await views.begin()
  for (const event of events) {
    const change = usage.changeOf(event)
    if (change === undefined) continue
    const [stored] = await views.getMany('usage', [change.id])
    const { id: _, position: __, ...current } = stored ?? {}
    const fields = change.next(stored && (current as Parameters<typeof change.next>[0]))
    if (fields === undefined) continue
    await views.apply([{ collection: 'usage', id: change.id, position: event.position, fields }], {
      position: 0,
      checkpoint: 0,
    })
  }
  await views.makeReadable()
  return views
}

const settled = (day: number, more: Partial<(LedgerStoredEvent & { type: 'CreditsSettled' })['data']> = {}) => {
  const purpose = { operation: 'transcript', mode: 'native', platform: 'youtube', keyId: 'k1', batch: null } as const
  const data = { jobId: 'job', charged: 1, refunded: 4, reason: 'completed', ...purpose, ...more }
  return { type: 'CreditsSettled', data, at: start + day * DAY_MS } as const
}

const always = (now: number) => ({ now, retentionDays: undefined })

/** The usage of these settlements. */
async function usageOf(
  settlements: ReturnType<typeof settled>[],
  question: Partial<UsageQuestion> = {},
  now = start,
  retentionDays?: number,
) {
  const views = await viewsOf(storedAt(ORG, settlements))
  return sumUsage(views, ORG, { from: undefined, to: undefined, groupBy: 'day', ...question }, { now, retentionDays })
}

describe('usage', () => {
  const some = [
    settled(0),
    settled(1, { platform: 'x', charged: 5, refunded: 0 }),
    settled(1, { operation: 'extraction', mode: null, charged: 10, refunded: 0, keyId: 'k2' }),
    settled(2, { keyId: null, charged: 0, refunded: 5 }),
  ]
  const all = { from: dayAfter(0), to: dayAfter(2) }
  const totals = { jobs: 4, creditsCharged: 16, creditsRefunded: 9 }

  it('is summed up by day, operation, key and platform; jobs without a key form their own group', async () => {
    const groupsBy = async (groupBy: UsageQuestion['groupBy']) => {
      const { groups, totals: sums } = await usageOf(some, { ...all, groupBy })
      expect(sums).to.deep.equal(totals)
      return groups.map(({ group, jobs, creditsCharged: charged, creditsRefunded: refunded }) => {
        return [group, jobs, charged, refunded]
      })
    }
    expect(await groupsBy('day')).to.deep.equal([
      ['2026-01-01', 1, 1, 4],
      ['2026-01-02', 2, 15, 0],
      ['2026-01-03', 1, 0, 5],
    ])
    expect(await groupsBy('operation')).to.deep.equal([
      ['extraction', 1, 10, 0],
      ['transcript', 3, 6, 9],
    ])
    expect(await groupsBy('key')).to.deep.equal([
      ['k2', 1, 10, 0],
      ['k1', 2, 6, 4],
      ['unknown', 1, 0, 5],
    ])
    expect(await groupsBy('platform')).to.deep.equal([
      ['youtube', 3, 11, 9],
      ['x', 1, 5, 0],
    ])
  })

  it('covers the requested days, including the last one', async () => {
    const { totals: two } = await usageOf(some, { from: dayAfter(0), to: dayAfter(1) })
    expect(two.jobs).to.equal(3)
    expect((await usageOf(some, { from: dayAfter(1), to: dayAfter(1) })).totals.jobs).to.equal(2)
    const { groups, totals: later } = await usageOf(some, { from: dayAfter(3), to: dayAfter(9) })
    expect([groups, later]).to.deep.equal([[], none])
  })

  it('covers the last 30 days if none are named', async () => {
    const now = start + 31 * DAY_MS + 1
    const settlements = [settled(1), settled(2), settled(31)]
    const { from, to, totals: sums } = await usageOf(settlements, {}, now)
    expect([from, to, sums.jobs]).to.deep.equal([dayAfter(2), dayAfter(31), 2])
    expect((await usageOf(settlements, { to: dayAfter(30) }, now)).totals.jobs).to.equal(2)
  })

  it('is refused for more than 92 days, and for days in the wrong order', async () => {
    expect((await usageOf([settled(0)], { from: dayAfter(0), to: dayAfter(91) })).totals.jobs).to.equal(1)
    for (const [from, to] of [
      [dayAfter(0), dayAfter(92)],
      [dayAfter(1), dayAfter(0)],
    ]) {
      expect(await failureOf(usageOf([], { from, to }))).to.include({ code: 'invalid_request' })
    }
  })

  it('begins with the first day that retention keeps whole, and is refused for earlier days alone', async () => {
    const settlements = [settled(0), settled(7), settled(8), settled(10)]
    // The retention begins three days before noon of day 10, so half of day 7 is gone.
    const noon = start + 10.5 * DAY_MS
    const { from, totals: sums } = await usageOf(settlements, {}, noon, 3)
    expect([from, sums.jobs]).to.deep.equal([dayAfter(8), 2])
    expect((await usageOf(settlements, { from: dayAfter(9) }, noon, 3)).from).to.equal(dayAfter(9))
    expect((await usageOf(settlements, {}, noon, 1)).from).to.equal(dayAfter(10))
    const early = usageOf(settlements, { from: dayAfter(0), to: dayAfter(7) }, noon, 3)
    expect(await failureOf(early)).to.include({ code: 'invalid_request' })
  })

  it('is only that of the requesting organization', async () => {
    const views = await viewsOf(storedAt('other', some))
    const { totals: sums } = await sumUsage(views, ORG, { ...all, groupBy: 'day' }, always(start))
    expect(sums).to.deep.equal(none)
  })

  it('is CSV by day and operation, oldest first', async () => {
    const days = await readUsage(await viewsOf(storedAt(ORG, some)), ORG, all, always(start))
    expect(usageCsvOf(days).split('\r\n')).to.deep.equal([
      'day,operation,jobs,creditsCharged,creditsRefunded',
      '2026-01-01,transcript,1,1,4',
      '2026-01-02,transcript,1,5,0',
      '2026-01-02,extraction,1,10,0',
      '2026-01-03,transcript,1,0,5',
      '',
    ])
  })

  describe('of any history (fast-check)', () => {
    const jobId = fc.integer({ min: 0, max: 9 }).map((n) => `job-${n}`)
    const purpose = fc.record({
      operation: fc.constantFrom('transcript' as const, 'extraction' as const),
      mode: fc.constantFrom('auto' as const, null),
      platform: fc.constantFrom('youtube' as const, 'direct' as const),
      keyId: fc.constantFrom('k1', 'k2', null),
      batch: fc.constant(null),
    })
    const debits = fc
      .tuple(jobId, fc.constantFrom(1, 5, 10), purpose)
      .map(([id, cost, purpose]) => debit(id, cost, cost, { purpose }))
    const reason = fc.constantFrom('completed', 'timeout')
    const settlements = fc.tuple(jobId, fc.constantFrom(0, 1, 5), reason).map((of) => settle(...of))
    const move = fc.record({ command: fc.oneof(debits, settlements), hours: fc.integer({ min: 0, max: 30 }) })
    const moves = fc.array(move, { maxLength: 60, size: 'max' })

    /** The stored events of the commands, and the ledger after them. */
    function play(all: { command: CreditsCommand; hours: number }[]) {
      let state = evolveAll(credits.initialState, [granted(1000)])
      let at = start
      const events = all.flatMap(({ command, hours }) => {
        at += hours * 60 * 60 * 1000
        const decided = credits.decide(command, inMonthOf(state, at))
        state = evolveAll(state, decided)
        return decided.map((event) => ({ ...event, at }))
      })
      return { events: storedAt(ORG, events), ledger: state, end: at }
    }

    it('adds up to the ledger in any grouping, even in rebuilt views', async () => {
      let jobs = 0
      const property = fc.asyncProperty(moves, async (all) => {
        const { events, ledger, end } = play(all)
        const debited = 1000 - ledger.balance
        const views = await viewsOf(events)
        // Some events are read again, as after a crash.
        const again = await viewsOf([...events, ...events.slice(-5)])
        for (const groupBy of usageGroups) {
          const question = { from: dayAfter(0), to: dayAfter(91), groupBy }
          const { groups, totals: sums } = await sumUsage(views, ORG, question, always(end))
          expect(sums.creditsCharged + heldIn(ledger)).to.equal(debited)
          const settlements = events.filter(({ type }) => type === 'CreditsSettled')
          const refunded = settlements.reduce((sum, { data }) => sum + ('refunded' in data ? data.refunded : 0), 0)
          expect([sums.jobs, sums.creditsRefunded]).to.deep.equal([settlements.length, refunded])
          for (const field of ['jobs', 'creditsCharged', 'creditsRefunded'] as const)
            expect(groups.reduce((sum, group) => sum + group[field], 0)).to.equal(sums[field])
          expect(await sumUsage(again, ORG, question, always(end))).to.deep.equal({ ...question, groups, totals: sums })
          jobs += sums.jobs
        }
      })
      await fc.assert(property, { numRuns: 100 })
      expect(jobs).to.be.greaterThan(1000)
    })
  })
})
