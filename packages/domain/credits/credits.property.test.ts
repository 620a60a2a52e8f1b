import { expect } from 'chai'
import fc from 'fast-check'
import { debit } from './credits.fixture.ts'
import {
  type Credits,
  type CreditsCommand,
  credits,
  decideTogether,
  EVENTS_PER_STATEMENT,
  evolveAll,
} from './credits.ts'
import { type CreditsEvent, initialLedger, type Ledger } from './ledger.ts'
import { type DatedEvent, givesNothing, initialMonths } from './months.ts'

const RUNS = 500

/** A command, and by how many months the clock moves before it; it may lag. */
type Move = { command: CreditsCommand; months: number }

const jobId = fc.integer({ min: 0, max: 12 }).map((n) => `job-${n}`)
const reason = fc.constantFrom('completed', 'timeout', 'upstream_error')

const command: fc.Arbitrary<CreditsCommand> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<CreditsCommand>({ type: 'register' }) },
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
    arbitrary: fc
      .record({ jobId, cost: fc.constantFrom([1, 1], [5, 5], [5, 1], [10, 10], [400, 400]) })
      .map(({ jobId, cost: [full = 1, least = 1] }): CreditsCommand => debit(jobId, full, least)),
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

/** The middle of a month, counted from January 2026. */
const instantOf = (month: number): number => Date.UTC(2026, month, 15)

/** Events that are recorded at an instant. */
const recorded = (events: readonly CreditsEvent[], recordedAt: number): DatedEvent[] =>
  events.map((event) => ({ ...event, recordedAt }))

/** Decides each move by itself: the appends, and the ledger after them. */
function play(
  moves: readonly Move[],
  start: Credits = credits.initialState,
): { appends: DatedEvent[][]; events: DatedEvent[]; ledger: Ledger; now: Credits } {
  let month = 0
  let now = start
  const appends: DatedEvent[][] = []
  const debitedAt = new Map<string, number>()
  for (const { command, months } of moves) {
    month += months
    const at = instantOf(month)
    const told = command.type === 'settle' ? debitedAt.get(command.jobId) : undefined
    const whole = command.type === 'settle' && told !== undefined ? { ...command, debitedAt: told } : command
    const events = credits.decide({ ...whole, now: at }, now)
    for (const { type, data } of events) if (type === 'CreditsDebited') debitedAt.set(data.jobId, at)
    const stored = recorded(events, at)
    appends.push(stored)
    now = evolveAll(now, stored)
  }
  return { appends, events: appends.flat(), ledger: now.ledger, now }
}

/**
 * The balance as a customer would count it: every credit belongs to the period in which it was given and expires at its
 * end, also when it is refunded. A period ends with a renewal that does not follow a change of the plan.
 */
class Purses {
  balance = 0
  #period = 0
  #month = ''
  readonly #debits = new Map<string, { credits: number; period: number }>()

  take(append: readonly CreditsEvent[]): void {
    append.forEach((event, index) => {
      switch (event.type) {
        case 'CreditsGranted':
          this.balance += event.data.credits
          return
        case 'CreditsDebited':
          this.balance -= event.data.credits
          this.#debits.set(event.data.jobId, { credits: event.data.credits, period: this.#period })
          return
        case 'CreditsSettled':
          if (this.#debits.get(event.data.jobId)?.period === this.#period) this.balance += event.data.refunded
          return
        case 'CreditsRenewed':
          this.#renew(event.data, append[index - 1]?.type === 'PlanChanged')
      }
    })
  }

  #renew({ period, credits, expired }: { period: string; credits: number; expired: number }, isUpgrade: boolean): void {
    if (credits === 0 && expired === 0 && period === this.#month) return
    if (!isUpgrade && period !== this.#month) {
      this.balance = 0
      this.#period++
    }
    this.#month = period
    this.balance += credits
  }
}

/** The part of a ledger that does not depend on when its last statement was. */
const essence = ({ unstated: _, openDebits, ...rest }: Ledger) => ({ ...rest, openDebits: [...openDebits] })

const sum = (amounts: number[]): number => amounts.reduce((total, amount) => total + amount, 0)

const check = <T>(arbitrary: fc.Arbitrary<T>, property: (value: T) => void): void =>
  fc.assert(fc.property(arbitrary, property), { numRuns: RUNS })

describe('any history of a ledger (fast-check)', () => {
  it('never has a balance below zero', () => {
    check(moves, (all) => {
      let state = credits.initialState
      let lowest = 0
      for (const event of play(all).events) {
        state = evolveAll(state, [event])
        lowest = Math.min(lowest, state.ledger.balance)
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

  it('has the credits that belong to its period, and no others', () => {
    let ended = 0
    check(moves, (all) => {
      const purses = new Purses()
      let state = credits.initialState
      for (const append of play(all).appends) {
        purses.take(append)
        state = evolveAll(state, append)
        expect(state.ledger.balance).to.equal(purses.balance)
        if (append.some(({ type, data }) => type === 'CreditsRenewed' && data.credits === 0 && data.expired > 0))
          ended++
      }
    })
    expect(ended, 'refunds that expired').to.be.greaterThan(20)
  })

  it('gives every month at most the credits of its best plan, and one renewal', () => {
    check(moves, (all) => {
      const given = new Map<string, number>()
      const begun = new Set<string>()
      let last = ''
      for (const event of play(all).events) {
        if (event.type !== 'CreditsRenewed') continue
        const { period, credits } = event.data
        if (period !== last) expect(begun.has(period), `${period} begins again after ${last}`).to.equal(false)
        begun.add(period)
        last = period
        given.set(period, (given.get(period) ?? 0) + credits)
        expect(given.get(period)).to.be.at.most(2000)
      }
    })
  })

  it('goes back a month only after an event of an earlier one: a clock had run ahead', () => {
    let healed = 0
    check(moves, (all) => {
      let state = credits.initialState
      let newest = 0
      for (const append of play(all).appends) {
        for (const event of append) {
          if (event.type === 'CreditsRenewed' && event.data.period < state.ledger.period) {
            expect(newest, 'recorded before the month that was renewed for').to.be.below(
              Date.parse(state.ledger.period),
            )
            healed++
          }
          state = evolveAll(state, [event])
        }
        newest = append[0]?.recordedAt ?? newest
      }
    })
    expect(healed, 'ledgers that were healed').to.be.greaterThan(5)
  })

  it('renews every month of a clock that is right, whatever an earlier clock has done', () => {
    const later = fc.record({ before: moves, months: fc.integer({ min: 1, max: 12 }) })
    check(later, ({ before, months }) => {
      const { now, events } = play([...before, { command: { type: 'change-plan', plan: 'starter' }, months: 0 }])
      const given = new Set(events.flatMap((event) => (event.type === 'CreditsRenewed' ? [event.data.period] : [])))
      let then = now
      for (let month = 40; month < 40 + months; month++) {
        const period = new Date(instantOf(month)).toISOString().slice(0, 7)
        const decided = credits.decide({ type: 'grant', credits: 1, now: instantOf(month) }, then)
        const [first] = decided
        const behind = then.months.recordedAt > instantOf(month)
        if (!behind && !given.has(period) && period > then.ledger.period)
          expect(first).to.deep.include({ type: 'CreditsRenewed' })
        then = evolveAll(then, recorded(decided, instantOf(month)))
      }
    })
  })

  it('is the same folded from its start and from its last CreditsStated with the renewals just before it', () => {
    const ledger = { ...initialLedger, exists: true, balance: 900, unstated: EVENTS_PER_STATEMENT - 10 }
    let [stated, kept] = [0, 0]
    check(moves, (all) => {
      const { events, now } = play(all, { ledger, months: initialMonths })
      const last = events.findLastIndex(({ type }) => type === 'CreditsStated')
      if (last === -1) return
      stated++
      let from = last
      for (let event = events[from - 1]; event !== undefined && givesNothing(event); event = events[from - 1]) from--
      if (from < last) kept++
      expect(evolveAll(credits.initialState, events.slice(from))).to.deep.equal(now)
      expect(evolveAll(credits.initialState, events.slice(last)).ledger).to.deep.equal(now.ledger)
    })
    expect(stated, 'histories with a statement').to.be.greaterThan(RUNS / 4)
    expect(kept, 'statements with months before them').to.be.greaterThan(5)
  })

  it('has a CreditsStated after at most 200 events and two appends, where no clock ran ahead', () => {
    const onward = move.filter(({ months }) => months >= 0)
    const long = fc.array(onward, { minLength: 250, maxLength: 450, size: 'max' })
    fc.assert(
      fc.property(long, (all) => {
        let unstated = 0
        for (const event of play(all).events) {
          unstated = event.type === 'CreditsStated' ? 0 : unstated + 1
          // Two appends, and the months that stand before a statement.
          expect(unstated).to.be.at.most(EVENTS_PER_STATEMENT + 3 + 3 + 6)
        }
      }),
      { numRuns: 50, endOnFailure: true },
    )
  })

  it('is the same decided in one batch as one by one', () => {
    const batches = fc.record({
      before: moves,
      batch: fc.array(command, { maxLength: 20, size: 'max' }),
      month: fc.nat(3),
    })
    check(batches, ({ before, batch, month }) => {
      const { now } = play(before)
      const at = instantOf(month)
      const together = decideTogether(batch, now, at)
      let then = now
      const outcomes = batch.map((one) => {
        const { recordedAt } = now.months
        const alone = decideTogether([one], { ...then, months: { ...then.months, recordedAt } }, at)
        then = evolveAll(then, alone.events)
        return alone.outcomes[0]
      })
      expect(together.outcomes).to.deep.equal(outcomes)
      expect(essence(evolveAll(now, together.events).ledger)).to.deep.equal(essence(then.ledger))
      expect(together.owners).to.have.length(together.events.length)
      const writing = new Set(together.owners)
      outcomes.forEach((outcome, index) => {
        expect(writing.has(index)).to.equal(outcome?.type === 'done' || outcome?.type === 'debited')
      })
    })
  })
})
