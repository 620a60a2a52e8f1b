import { expect } from 'chai'
import { granted, middleOf, planChanged, renewed } from './credits.fixture.ts'
import { asIfRecorded, credits, evolveAll, type NextRenewal, nextRenewal } from './credits.ts'
import type { Ledger } from './ledger.ts'

/** The next renewal, as forecast in the middle of a month. */
const next = (ledger: Ledger, period: string): NextRenewal | undefined =>
  nextRenewal(asIfRecorded(ledger, middleOf(period)))

describe('the next renewal', () => {
  const starter = evolveAll(credits.initialState, [granted(50), planChanged('starter'), renewed('2026-01', 500, 0)])

  it('is in the next month, and gives what the plan then gives', () => {
    expect(next(starter, '2026-01')).to.deep.equal({ period: '2026-02', credits: 500 })
    expect(next(starter, '2026-12')).to.deep.equal({ period: '2027-01', credits: 500 })
    expect(next(evolveAll(starter, [planChanged('pro')]), '2026-01')).to.include({ credits: 2000 })
  })

  it('does not exist for Free: its credits do not expire', () => {
    expect(next(evolveAll(credits.initialState, [granted(50)]), '2026-01')).to.equal(undefined)
  })

  it('lets the rest of a cancelled plan expire, once', () => {
    const cancelled = evolveAll(starter, [planChanged('free')])
    expect(next(cancelled, '2026-01')).to.deep.equal({ period: '2026-02', credits: 0 })
    expect(next(cancelled, '2026-02')).to.equal(undefined)
  })

  it('skips months that have begun because the store’s clock ran ahead', () => {
    const ahead = evolveAll(starter, [renewed('2026-04', 500, 550)])
    expect(next(ahead, '2026-02')).to.deep.equal({ period: '2026-03', credits: 500 })
    expect(next(ahead, '2026-03')).to.deep.equal({ period: '2026-05', credits: 500 })
  })
})
