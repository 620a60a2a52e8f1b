import { expect } from 'chai'
import { debited, granted, settled } from '#packages/domain/credits/credits.fixture.ts'
import type { CreditsEvent } from '#packages/domain/credits/ledger.ts'
import { markOf, truncationPoint } from './truncation-point.ts'

const stated: CreditsEvent = {
  type: 'CreditsStated',
  data: {
    balance: 1,
    plan: 'free',
    period: '',
    months: [],
    renewed: 0,
    fillings: 0,
    openDebits: [],
    holds: [],
    spending: { period: '', keys: [] },
  },
}

/** The revision to truncate a ledger of these events before. The first of them has revision `from`. */
const pointOf = (events: CreditsEvent[], needed = Number.POSITIVE_INFINITY, from = 0): number | undefined =>
  truncationPoint(
    events.map((event, at) => markOf({ ...event, revision: from + at, position: from + at })),
    needed,
  )?.revision

const job = (id: string): CreditsEvent[] => [debited(id, 5), settled(id, 5, 0, 'completed')]

describe('the truncation point of a ledger', () => {
  it('is its newest statement', () => {
    expect(pointOf([granted(50), stated, ...job('a'), stated, ...job('b')])).to.equal(4)
  })

  it('does not exist without a statement, or if the ledger begins with its only one', () => {
    expect(pointOf([granted(50), ...job('a')])).to.equal(undefined)
    expect(pointOf([stated, ...job('a')], undefined, 200)).to.equal(undefined)
  })

  it('is an earlier statement if an event between them must stay', () => {
    const events = [granted(50), stated, ...job('a'), ...job('b'), stated]
    expect(pointOf(events, 4)).to.equal(1)
    expect(pointOf(events, 0)).to.equal(undefined)
    expect(pointOf(events, 6)).to.equal(6)
  })
})
