import { expect } from 'chai'
import fc from 'fast-check'
import { decide, EVENTS_PER_STATEMENT, type LedgerCommand } from './decide.ts'
import { evolve, initialLedger, type Ledger, type LedgerEvent } from './ledger.ts'

const RUNS = 500

/** A command, and by how many months the clock moves before it; it may lag. */
type Move = { command: LedgerCommand; months: number }

const jobId = fc.integer({ min: 0, max: 12 }).map((n) => `job-${n}`)
const reason = fc.constantFrom('completed', 'timeout', 'upstream_error')

const command: fc.Arbitrary<LedgerCommand> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<LedgerCommand>({ type: 'register' }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('grant' as const), credits: fc.integer({ min: 1, max: 30 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('change-plan' as const),
      plan: fc.constantFrom('free' as const, 'starter' as const, 'pro' as const),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ jobId, cost: fc.constantFrom([1, 1], [5, 5], [5, 1], [10, 10], [400, 400]) }).map(
      ({ jobId, cost: [full = 1, least = 1] }): LedgerCommand => ({
        type: 'debit',
        jobId,
        operation: 'transcript',
        full,
        least,
        requestHash: 'b'.repeat(64),
      }),
    ),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('settle' as const),
      jobId,
      charged: fc.constantFrom(0, 1, 5, 10),
      reason,
    }),
  },
)

const move: fc.Arbitrary<Move> = fc.record({
  command,
  months: fc.oneof({ weight: 12, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(-2, -1, 1, 3) }),
})
const moves = fc.array(move, { maxLength: 60, size: 'max' })

const periodAt = (month: number): string => {
  const index = 2026 * 12 + month
  return `${Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}`
}

/** Every move on its own: the events of its decisions, and the ledger that they leave. */
function play(moves: readonly Move[], start: Ledger = initialLedger): { events: LedgerEvent[]; ledger: Ledger } {
  let month = 0
  let ledger = start
  const events: LedgerEvent[] = []
  for (const { command, months } of moves) {
    month += months
    const decided = decide([command], ledger, periodAt(month)).events
    events.push(...decided)
    ledger = decided.reduce(evolve, ledger)
  }
  return { events, ledger }
}

/** What of a ledger does not depend on when its last statement was. */
const essence = ({ unstated: _, openDebits, ...rest }: Ledger) => ({ ...rest, openDebits: [...openDebits] })

const sum = (amounts: number[]): number => amounts.reduce((total, amount) => total + amount, 0)

const check = <T>(arbitrary: fc.Arbitrary<T>, property: (value: T) => void): void =>
  fc.assert(fc.property(arbitrary, property), { numRuns: RUNS })

describe('any history of a ledger (fast-check)', () => {
  it('never has a balance below zero', () => {
    check(moves, (all) => {
      let ledger = initialLedger
      let lowest = 0
      for (const event of play(all).events) {
        ledger = evolve(ledger, event)
        lowest = Math.min(lowest, ledger.balance)
      }
      expect(lowest).to.equal(0)
    })
  })

  it('has balance = grants + renewals − expiries − debits + refunds', () => {
    check(moves, (all) => {
      const { events, ledger } = play(all)
      const changes = events.map((event) => {
        if (event.type === 'CreditsGranted') return event.data.credits
        if (event.type === 'CreditsRenewed') return event.data.credits - event.data.expired
        if (event.type === 'CreditsDebited') return -event.data.credits
        return event.type === 'CreditsSettled' ? event.data.refunded : 0
      })
      expect(ledger.balance).to.equal(sum(changes))
    })
  })

  it('settles every debit at most once, charged + refunded being the debit', () => {
    check(moves, (all) => {
      const open = new Map<string, number>()
      for (const event of play(all).events) {
        if (event.type === 'CreditsDebited') {
          expect(open.has(event.data.jobId), 'debited while open').to.equal(false)
          open.set(event.data.jobId, event.data.credits)
        }
        if (event.type === 'CreditsSettled') {
          const { jobId, charged, refunded } = event.data
          expect(charged + refunded).to.equal(open.get(jobId))
          expect(open.delete(jobId)).to.equal(true)
        }
      }
    })
  })

  it('gives every month at most the credits of its best plan, and never goes back a month', () => {
    check(moves, (all) => {
      const given = new Map<string, number>()
      let last = ''
      for (const event of play(all).events) {
        if (event.type !== 'CreditsRenewed') continue
        const { period, credits } = event.data
        expect(period >= last, `${period} after ${last}`).to.equal(true)
        last = period
        given.set(period, (given.get(period) ?? 0) + credits)
        expect(given.get(period)).to.be.at.most(2000)
      }
    })
  })

  it('is the same folded from its last CreditsStated as from its start', () => {
    const nearly = { ...initialLedger, exists: true, balance: 900, unstated: EVENTS_PER_STATEMENT - 10 }
    let stated = 0
    check(moves, (all) => {
      const { events, ledger } = play(all, nearly)
      const last = events.findLastIndex(({ type }) => type === 'CreditsStated')
      if (last === -1) return
      stated++
      const fromStatement = events.slice(last).reduce(evolve, initialLedger)
      expect({ ...fromStatement, openDebits: [...fromStatement.openDebits] }).to.deep.equal({
        ...ledger,
        openDebits: [...ledger.openDebits],
      })
    })
    expect(stated, 'histories with a statement').to.be.greaterThan(RUNS / 4)
  })

  it('states itself after at most 200 events and one append', () => {
    const long = fc.array(move, { minLength: 250, maxLength: 450, size: 'max' })
    fc.assert(
      fc.property(long, (all) => {
        let unstated = 0
        for (const event of play(all).events) {
          unstated = event.type === 'CreditsStated' ? 0 : unstated + 1
          expect(unstated).to.be.at.most(EVENTS_PER_STATEMENT + 3)
        }
      }),
      { numRuns: 50 },
    )
  })

  it('is the same decided in one batch as one by one', () => {
    const batches = fc.record({
      before: moves,
      batch: fc.array(command, { maxLength: 20, size: 'max' }),
      month: fc.nat(3),
    })
    check(batches, ({ before, batch, month }) => {
      const { ledger } = play(before)
      const together = decide(batch, ledger, periodAt(month))
      let current = ledger
      const outcomes = batch.map((one) => {
        const alone = decide([one], current, periodAt(month))
        current = alone.events.reduce(evolve, current)
        return alone.outcomes[0]
      })
      expect(together.outcomes).to.deep.equal(outcomes)
      expect(essence(together.events.reduce(evolve, ledger))).to.deep.equal(essence(current))
      expect(together.eventOwners).to.have.length(together.events.length)
      const writing = new Set(together.eventOwners)
      outcomes.forEach((outcome, index) => {
        expect(writing.has(index)).to.equal(outcome?.type === 'done' || outcome?.type === 'debited')
      })
    })
  })
})
