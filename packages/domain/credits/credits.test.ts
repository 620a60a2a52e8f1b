import { expect } from 'chai'
import {
  changePlan,
  debit,
  debited,
  given,
  givenState,
  grant,
  granted,
  HASH,
  middleOf,
  openDebit,
  planChanged,
  purpose,
  register,
  renewed,
  settle,
  stated,
} from './credits.fixture.ts'
import {
  asIfRecorded,
  type CreditsCommand,
  type CreditsOutcome,
  credits,
  EVENTS_PER_STATEMENT,
  evolveAll,
  MAX_OPEN_DEBITS,
} from './credits.ts'
import type { CreditsEvent, Ledger } from './ledger.ts'
import { periodOf } from './months.ts'
import { type Plan, plans } from './plans.ts'

/** The ledger after changes of the plan, one after another in one month. */
const changing = (from: Ledger, period: string, ...wanted: Plan[]): Ledger =>
  wanted.reduce((ledger, plan) => givenState(ledger).when(period, changePlan(plan)).after, from)

describe('the ledger decides', () => {
  describe('registration and grants', () => {
    it('gives 50 credits at sign-up, once', () => {
      const first = given().when('2026-01', register)
      expect(first.decided).to.deep.equal([granted(50)])
      expect(first.after).to.include({ exists: true, balance: 50, plan: 'free', period: '' })
      const second = given(granted(50)).when('2026-01', register)
      expect(second).to.deep.include({ decided: [], outcomes: [{ type: 'nothing' }] })
    })

    it('adds an operator’s grant to the balance', () => {
      const { decided, after } = given(granted(50)).when('2026-01', grant(7))
      expect(decided).to.deep.equal([granted(7, 'adjustment')])
      expect(after.balance).to.equal(57)
    })
  })

  describe('plans', () => {
    const starter = [granted(50), planChanged('starter'), renewed('2026-01', 500, 0)]
    const pro = [granted(50), planChanged('pro'), renewed('2026-01', 2000, 0)]

    it('writes nothing for the same plan, not even a due renewal', () => {
      const { decided, outcomes } = given(...starter).when('2026-02', changePlan('starter'))
      expect(decided).to.deep.equal([])
      expect(outcomes).to.deep.equal([{ type: 'nothing' }])
    })

    it('gives the month’s credits at the upgrade from free, and keeps the sign-up credits', () => {
      const { decided, after } = given(granted(50)).when('2026-01', changePlan('starter'))
      expect(decided).to.deep.equal([planChanged('starter'), renewed('2026-01', 500, 0)])
      expect(after).to.include({ balance: 550, plan: 'starter', period: '2026-01', renewed: 500 })
    })

    const free = given(granted(50)).when('2026-01').after
    const orders: { wanted: Plan[]; given: number }[] = [
      { wanted: ['starter', 'pro'], given: 2000 },
      { wanted: ['pro', 'starter'], given: 2000 },
      { wanted: ['pro', 'starter', 'pro'], given: 2000 },
      { wanted: ['starter', 'free', 'starter'], given: 500 },
      { wanted: ['starter', 'free', 'pro'], given: 2000 },
      { wanted: ['pro', 'free', 'starter', 'free', 'pro'], given: 2000 },
      { wanted: ['starter', 'pro', 'free', 'free', 'starter', 'pro'], given: 2000 },
    ]
    for (const { wanted, given: credits } of orders) {
      it(`gives ${credits} in a month that goes ${wanted.join(' → ')}, whatever the order`, () => {
        const ledger = changing(free, '2026-01', ...wanted)
        expect(ledger).to.include({ balance: 50 + credits, renewed: credits, plan: wanted.at(-1) })
      })
    }

    it('takes nothing back at a downgrade', () => {
      expect(given(...pro).when('2026-01', changePlan('starter')).decided).to.deep.equal([planChanged('starter')])
      expect(given(...pro).when('2026-01', changePlan('free')).decided).to.deep.equal([planChanged('free')])
    })

    it('writes no renewal for a return to a plan that has given its credits this month', () => {
      const { decided } = given(...pro, planChanged('free')).when('2026-01', changePlan('pro'))
      expect(decided).to.deep.equal([planChanged('pro')])
    })

    it('renews with the old plan first if the month has changed too', () => {
      const { decided, after } = given(...starter).when('2026-02', changePlan('pro'))
      expect(decided).to.deep.equal([renewed('2026-02', 500, 550), planChanged('pro'), renewed('2026-02', 1500, 0)])
      expect(after).to.include({ balance: 2000, renewed: 2000 })
    })

    it('gives an upgrade to the ledger’s month even if an event was recorded in an earlier one', () => {
      const starter = [granted(50), planChanged('starter'), renewed('2026-02', 500, 50)]
      const { decided, after } = given(...starter).when('2026-01', changePlan('pro'))
      expect(decided).to.deep.equal([planChanged('pro'), renewed('2026-02', 1500, 0)])
      expect(after).to.include({ period: '2026-02', balance: 2000 })
    })
  })

  describe('renewal', () => {
    const starter = [granted(50), planChanged('starter'), renewed('2026-01', 500, 0), debited('a', 5)]

    it('comes first in the first append of a month, expires everything and gives the plan’s credits', () => {
      const { decided, owners } = given(...starter).when('2026-02', debit('b', 5))
      expect(decided).to.deep.equal([renewed('2026-02', 500, 545), debited('b', 5, '2026-02')])
      expect(owners).to.deep.equal([0, 0])
    })

    it('comes once a month', () => {
      const { decided } = given(...starter, renewed('2026-02', 500, 545)).when('2026-02', debit('b', 5))
      expect(decided).to.deep.equal([debited('b', 5, '2026-02')])
    })

    it('skips a free organization that has never been given monthly credits', () => {
      const { decided, after } = given(granted(50)).when('2026-07', debit('a', 1))
      expect(decided).to.deep.equal([debited('a', 1, '2026-07')])
      expect(after.balance).to.equal(49)
    })

    it('gives the first credits of a plan that changed before the ledger had a month, and expires nothing', () => {
      const { decided } = given(granted(50), planChanged('starter')).when('2026-02', debit('a', 1))
      expect(decided).to.deep.equal([renewed('2026-02', 500, 0), debited('a', 1, '2026-02')])
    })

    it('comes once, with no credits, for an organization that has gone back to free', () => {
      const cancelled = [granted(50), planChanged('pro'), renewed('2026-01', 2000, 0), planChanged('free')]
      const first = given(...cancelled).when('2026-02', grant(3))
      expect(first.decided).to.deep.equal([renewed('2026-02', 0, 2050), granted(3, 'adjustment')])
      const second = givenState(first.after).when('2026-03', grant(1))
      expect(second.decided).to.deep.equal([granted(1, 'adjustment')])
    })

    it('never comes for a month before the ledger’s oldest', () => {
      const { decided } = given(...starter).when('1970-01', debit('b', 1))
      expect(decided).to.deep.equal([debited('b', 1, '1970-01')])
    })

    it('is decided before a debit is refused for lack of credits', () => {
      const spent = [planChanged('starter'), renewed('2026-01', 500, 0), debited('all', 500)]
      expect(given(...spent).when('2026-01', debit('b', 5)).outcomes[0]?.type).to.equal('insufficient')
      expect(given(...spent).when('2026-02', debit('b', 5)).outcomes[0]?.type).to.equal('debited')
    })

    it('is shown in a balance before it is written', () => {
      const state = evolveAll(credits.initialState, starter)
      expect(asIfRecorded(state, middleOf('2026-01'))).to.include({ balance: 545, period: '2026-01' })
      const ledger = asIfRecorded(state, middleOf('2026-02'))
      expect(ledger).to.include({ balance: 500, period: '2026-02', renewed: 500 })
    })

    it('uses UTC months', () => {
      expect(periodOf(Date.UTC(2026, 0, 31, 23, 59, 59, 999))).to.equal('2026-01')
      expect(periodOf(Date.UTC(2026, 1, 1))).to.equal('2026-02')
    })
  })

  describe('debits', () => {
    const outcomeOf = (balance: number, command: CreditsCommand): CreditsOutcome | undefined =>
      given(granted(balance)).when('2026-01', command).outcomes[0]

    it('takes 5 for auto, and 1 if 1 to 4 are left', () => {
      expect(outcomeOf(5, debit('a', 5, 1))).to.deep.equal({ type: 'debited', credits: 5 })
      for (const left of [1, 2, 3, 4])
        expect(outcomeOf(left, debit('a', 5, 1))).to.deep.equal({ type: 'debited', credits: 1 })
      expect(given().when('2026-01', debit('a', 5, 1)).outcomes).to.deep.equal([
        { type: 'insufficient', required: 1, remaining: 0, held: 0 },
      ])
    })

    it('refuses what the balance does not cover, and writes nothing', () => {
      const { decided, outcomes } = given(granted(4)).when('2026-01', debit('a', 5))
      expect(decided).to.deep.equal([])
      expect(outcomes).to.deep.equal([{ type: 'insufficient', required: 5, remaining: 4, held: 0 }])
    })

    it('refuses a debit beyond 2,000 open ones, and accepts it when one is settled', () => {
      const openDebits = Array.from({ length: MAX_OPEN_DEBITS }, (_, index) => openDebit(`job-${index}`, 1, ''))
      const full = given(stated({ balance: 10, openDebits }))
      const refused = full.when('2026-01', debit('more', 1))
      expect(refused).to.deep.include({ decided: [], outcomes: [{ type: 'too-many-open-debits' }] })
      const both = full.when('2026-01', settle('job-7', 1), debit('more', 1))
      expect(both.outcomes.map(({ type }) => type)).to.deep.equal(['done', 'debited'])
    })

    it('gives the last credits to the commands of a batch in order', () => {
      const { outcomes, after } = given(granted(6)).when('2026-01', debit('a', 5), debit('b', 5), debit('c', 1))
      expect(outcomes).to.deep.equal([
        { type: 'debited', credits: 5 },
        { type: 'insufficient', required: 5, remaining: 1, held: 5 },
        { type: 'debited', credits: 1 },
      ])
      expect(after.balance).to.equal(0)
    })

    it('debits one job once, even twice in one batch', () => {
      const { decided, outcomes, owners } = given(granted(50)).when('2026-01', debit('a', 5), debit('a', 5))
      expect(decided).to.deep.equal([debited('a', 5, '2026-01')])
      expect(owners).to.deep.equal([0])
      expect(outcomes[0]).to.deep.equal({ type: 'debited', credits: 5 })
      expect(outcomes[1]).to.deep.equal({ type: 'already-open', credits: 5, requestHash: HASH })
      expect(given(granted(50), debited('a', 5)).when('2026-01', debit('a', 5)).decided).to.deep.equal([])
    })
  })

  describe('monthly credits of a key', () => {
    const byKey = (jobId: string, full: number, least = full, keyId = 'k1'): CreditsCommand =>
      debit(jobId, full, least, { purpose: { ...purpose, keyId }, monthlyCredits: 6 })
    const started = given(granted(50))

    it('refuse what they do not cover, and report what is left of them', () => {
      const { outcomes } = started.when('2026-01', byKey('a', 5), byKey('b', 5))
      expect(outcomes[1]).to.deep.equal({ type: 'over-monthly-credits', required: 5, remaining: 1, held: 5 })
      const both = started.when('2026-01', byKey('a', 5), byKey('b', 5, 5, 'k2'), byKey('c', 5))
      expect(both.outcomes[2], 'held by the key alone').to.include({ held: 5 })
    })

    it('let a job cost less, down to its least price, if they cover only that', () => {
      const { outcomes } = started.when('2026-01', byKey('a', 5), byKey('b', 5, 1))
      expect(outcomes[1]).to.deep.equal({ type: 'debited', credits: 1 })
    })

    it('return with a refund of the same month', () => {
      const { outcomes } = started.when('2026-01', byKey('a', 5), settle('a', 1), byKey('b', 5))
      expect(outcomes[2]?.type).to.equal('debited')
    })

    it('are complete again in the next month, whatever the last one refunds later', () => {
      const { after: state } = started.when('2026-01', byKey('a', 5))
      const { outcomes } = givenState(state).when('2026-02', byKey('b', 5), settle('a', 0), byKey('c', 5))
      expect(outcomes.map(({ type }) => type)).to.deep.equal(['debited', 'done', 'over-monthly-credits'])
    })

    it('do not restart if an event was recorded in an earlier month', () => {
      const { after: state } = started.when('2026-02', byKey('a', 5))
      const { outcomes } = givenState(state).when('2026-01', byKey('b', 5))
      expect(outcomes[0]?.type).to.equal('over-monthly-credits')
    })

    it('are known from a statement', () => {
      const grants = Array.from({ length: EVENTS_PER_STATEMENT }, () => granted(1, 'adjustment'))
      const { decided, after: state } = given(...grants).when('2026-01', byKey('a', 5))
      const stated = decided.at(-1) as CreditsEvent
      expect(stated.type).to.equal('CreditsStated')
      expect(given(stated).when('2026-01', byKey('b', 5)).outcomes[0]?.type).to.equal('over-monthly-credits')
      expect(given(stated).when('2026-01').after).to.deep.equal(state)
    })
  })

  describe('statements', () => {
    it('are added to the append that reaches 200 events, and hold the whole ledger', () => {
      const grants = Array.from({ length: EVENTS_PER_STATEMENT - 2 }, () => granted(1, 'adjustment'))
      const before = given(...grants, debited('open', 3))
      const { decided, owners, after } = before.when('2026-01', debit('other', 1))
      expect(decided).to.deep.equal([
        debited('other', 1, '2026-01'),
        stated({
          balance: EVENTS_PER_STATEMENT - 6,
          fillings: 198,
          openDebits: [openDebit('open', 3, '2026-01'), openDebit('other', 1, '2026-01')],
        }),
      ])
      expect(owners).to.deep.equal([0, 0])
      expect(after.unstated).to.equal(0)
    })

    it('belong to the last command of their append that wrote anything', () => {
      const grants = Array.from({ length: EVENTS_PER_STATEMENT }, () => granted(1, 'adjustment'))
      const { owners } = given(...grants).when(
        '2026-01',
        debit('a', 1),
        debit('b', 1),
        debit('c', 1),
        settle('never', 0),
      )
      expect(owners).to.deep.equal([0, 1, 2, 2])
    })

    it('are not written by commands that change nothing', () => {
      const grants = Array.from({ length: EVENTS_PER_STATEMENT + 5 }, () => granted(1, 'adjustment'))
      expect(given(...grants).when('2026-01', settle('never', 0)).decided).to.deep.equal([])
    })
  })

  it('names the command of every event', () => {
    const starter = [planChanged('starter'), renewed('2026-01', 500, 0), debited('a', 5)]
    const { decided, owners } = given(...starter).when('2026-02', settle('x', 0), changePlan('pro'), settle('a', 5))
    expect(decided.map(({ type }, index) => [type, owners[index]])).to.deep.equal([
      ['CreditsRenewed', 1],
      ['PlanChanged', 1],
      ['CreditsRenewed', 1],
      ['CreditsSettled', 2],
    ])
  })

  it('gives each plan its specified price, credits and limits, and the priority lane to pro only', () => {
    const free = { monthlyCredits: 0, heavyRequestsPerMinute: 30, lane: 'standard', webhooks: 2, batchItems: 20 }
    const starter = { monthlyCredits: 500, heavyRequestsPerMinute: 60, lane: 'standard', webhooks: 10, batchItems: 500 }
    const pro = { monthlyCredits: 2000, heavyRequestsPerMinute: 120, lane: 'priority', webhooks: 50, batchItems: 2000 }
    expect(plans).to.deep.equal({
      free: { name: 'Free', price: 0, ...free, watches: 3, watchEverySeconds: 24 * 3600 },
      starter: { name: 'Starter', price: 9, ...starter, watches: 20, watchEverySeconds: 3600 },
      pro: { name: 'Pro', price: 29, ...pro, watches: 100, watchEverySeconds: 15 * 60 },
    })
  })
})
