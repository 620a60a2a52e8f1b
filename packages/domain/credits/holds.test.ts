import { expect } from 'chai'
import {
  debitOfBatch,
  given,
  givenState,
  granted,
  hold,
  planChanged,
  release,
  renewed,
  settle,
} from './credits.fixture.ts'
import { MAX_HOLDS } from './credits.ts'

const month = '2026-01'
const typesOf = (events: readonly { type: string }[]) => events.map(({ type }) => type)

describe('a hold for a batch', () => {
  it('leaves the balance once, and pays for its jobs, which refund into it', () => {
    const { after, outcomes } = given(granted(50)).when(
      month,
      hold('b', 30),
      debitOfBatch('b', 'j1', 10),
      debitOfBatch('b', 'j2', 10),
      settle('j1', 1),
    )
    expect(outcomes.map(({ type }) => type)).to.deep.equal(['debited', 'debited', 'debited', 'done'])
    expect(after.balance).to.equal(20)
    expect(after.holds.get('b')?.credits).to.equal(30 - 10 - 10 + 9)
  })

  it('is all that its jobs may take, however much the balance has', () => {
    const { outcomes } = given(granted(50)).when(month, hold('b', 9), debitOfBatch('b', 'j1', 10))
    expect(outcomes[1]).to.deep.equal({ type: 'insufficient', required: 10, remaining: 9, held: 0 })
  })

  it('returns to the balance at the end, as do later refunds, and then allows no debit', () => {
    const { after, outcomes } = given(granted(50)).when(
      month,
      hold('b', 30),
      debitOfBatch('b', 'j1', 10),
      release('b'),
      settle('j1', 4),
      debitOfBatch('b', 'j2', 10),
      release('b'),
    )
    expect(outcomes.slice(4)).to.deep.equal([{ type: 'no-hold' }, { type: 'nothing' }])
    expect(after.balance).to.equal(50 - 4)
  })

  it('is refused with what it takes and what is left, and then nothing is written', () => {
    const { decided, outcomes } = given(granted(50)).when(month, hold('b', 51))
    expect(decided).to.deep.equal([])
    expect(outcomes).to.deep.equal([{ type: 'insufficient', required: 51, remaining: 50, held: 0 }])
  })

  it('counts for the key in its month at once, its debits do not again, and releases are returned', () => {
    const capped = (command: ReturnType<typeof hold>) => ({ ...command, monthlyCredits: 30 })
    const started = given(granted(100)).when(month, capped(hold('b', 20, 'k')), debitOfBatch('b', 'j1', 10)).after
    const second = capped(hold('c', 11, 'k'))
    expect(givenState(started).when(month, second).outcomes[0]).to.deep.include({
      type: 'over-monthly-credits',
      remaining: 10,
    })
    const { outcomes } = givenState(started).when(month, settle('j1', 1), release('b'), second)
    expect(outcomes.at(-1)?.type).to.equal('debited')
  })

  it('expires with its month, including what its jobs return into it', () => {
    const starter = [planChanged('starter'), renewed(month, 500, 0)]
    const before = given(...starter).when(month, hold('b', 100), debitOfBatch('b', 'j1', 10)).after
    const { decided, after } = givenState(before).when(
      '2026-02',
      debitOfBatch('b', 'j2', 10),
      settle('j1', 0),
      release('b'),
    )
    expect(typesOf(decided)).to.deep.equal([
      'CreditsRenewed',
      'CreditsDebited',
      'CreditsSettled',
      'CreditsReleased',
      'CreditsRenewed',
    ])
    expect(after.balance).to.equal(500)
    expect(
      givenState(after).when('2026-02', settle('j2', 0)).after.balance,
      'a debit out of it is of its month',
    ).to.equal(500)
  })

  it('is bounded in number', () => {
    const holds = Array.from({ length: MAX_HOLDS }, (_, n) => hold(`b${n}`, 1))
    const { outcomes } = given(granted(1000)).when(month, ...holds, hold('more', 1))
    expect(outcomes.at(-1)?.type).to.equal('too-many-open-debits')
  })

  it('is created once for a batch', () => {
    const { after, outcomes } = given(granted(50)).when(month, hold('b', 30), hold('b', 30))
    expect(outcomes[1]?.type).to.equal('already-open')
    expect(after.balance).to.equal(20)
  })
})
