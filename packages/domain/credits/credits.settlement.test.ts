import { expect } from 'chai'
import { debited, given, granted, planChanged, renewed, settle, settled } from './credits.fixture.ts'
import { statement } from './credits.ts'
import type { CreditsEvent } from './ledger.ts'

describe('the ledger decides settlement', () => {
  it('refunds what was not used, and everything of a failed job', () => {
    const open = given(granted(50), debited('a', 5))
    expect(open.when('2026-01', settle('a', 1)).decided).to.deep.equal([settled('a', 1, 4, 'completed')])
    const failed = open.when('2026-01', settle('a', 0, 'timeout'))
    expect(failed.decided).to.deep.equal([settled('a', 0, 5, 'timeout')])
    expect(failed.after.balance).to.equal(50)
  })

  it('never charges more than was debited', () => {
    const { decided } = given(granted(50), debited('a', 1)).when('2026-01', settle('a', 5))
    expect(decided).to.deep.equal([settled('a', 1, 0, 'completed')])
  })

  it('settles once, and writes nothing for a job that is not open', () => {
    const { decided, outcomes } = given(granted(50), debited('a', 5)).when('2026-01', settle('a', 5), settle('a', 0))
    expect(decided).to.deep.equal([settled('a', 5, 0, 'completed')])
    expect(outcomes).to.deep.equal([{ type: 'done' }, { type: 'nothing' }])
    expect(given(granted(50)).when('2026-01', settle('never', 0)).decided).to.deep.equal([])
  })

  const spent = [planChanged('starter'), renewed('2026-01', 500, 0), debited('a', 5)]

  it('refunds to the month of the debit: after its end the refund expires in the same append', () => {
    const { decided, after } = given(...spent).when('2026-02', settle('a', 0, 'upstream_error'))
    expect(decided).to.deep.equal([
      renewed('2026-02', 500, 495),
      settled('a', 0, 5, 'upstream_error'),
      renewed('2026-02', 0, 5),
    ])
    expect(after).to.include({ balance: 500, renewed: 500 })
  })

  it('expires nothing of a debit that is charged in full', () => {
    const { decided } = given(...spent).when('2026-02', settle('a', 5))
    expect(decided).to.deep.equal([renewed('2026-02', 500, 495), settled('a', 5, 0, 'completed')])
  })

  it('refunds a debit from before the first plan, as its renewal expires no credits', () => {
    const { after } = given(granted(50), debited('a', 50), planChanged('pro'), renewed('2026-02', 2000, 0)).when(
      '2026-02',
      settle('a', 0, 'timeout'),
    )
    expect(after.balance).to.equal(2050)
  })

  it('is the same if only a statement names the debit', () => {
    const statedAfter = (...events: CreditsEvent[]): CreditsEvent => statement(given(...events).when('2026-02').after)
    const lapsed = statedAfter(...spent, renewed('2026-02', 500, 495))
    expect(given(lapsed).when('2026-02', settle('a', 0, 'timeout')).after.balance).to.equal(500)
    const open = statedAfter(planChanged('starter'), renewed('2026-02', 500, 0), debited('a', 5, '2026-02'))
    expect(given(open).when('2026-02', settle('a', 0, 'timeout')).after.balance).to.equal(500)
    expect(given(open).when('2026-03', settle('a', 0, 'timeout')).after.balance).to.equal(500)
  })

  it('expires in the second renewal what the first did not', () => {
    const upgraded = [granted(50), debited('a', 50), planChanged('pro'), renewed('2026-02', 2000, 0)]
    const { after } = given(...upgraded).when('2026-03', settle('a', 0, 'timeout'))
    expect(after.balance).to.equal(2000)
  })
})
