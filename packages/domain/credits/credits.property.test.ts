import { expect } from 'chai'
import fc from 'fast-check'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { changePlan, debit, debitOfBatch, grant, hold, register, release, settle } from './credits.fixture.ts'
import { type CreditsCommand, credits, decideTogether, EVENTS_PER_STATEMENT, evolveAll, inMonthOf } from './credits.ts'
import { type CreditsEvent, type DatedEvent, initialLedger, type Ledger } from './ledger.ts'
import { periodOf } from './months.ts'
import type { Plan } from './plans.ts'

const RUNS = 500

/**
 * A command, and the number of months by which the store's clock moves before the command is recorded. The clock may go
 * back.
 */
type Move = { command: CreditsCommand; months: number }

const jobId = fc.integer({ min: 0, max: 12 }).map((n) => `job-${n}`)
const batchId = fc.integer({ min: 0, max: 5 }).map((n) => `batch-${n}`)
/** The full price of a job, and its least. */
const cost = fc.constantFrom<[number, number][]>([1, 1], [5, 5], [5, 1], [10, 10], [400, 400])
const reason = fc.constantFrom('completed', 'timeout', 'upstream_error')

const command: fc.Arbitrary<CreditsCommand> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(register) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 30 }).map(grant) },
  { weight: 2, arbitrary: fc.constantFrom<Plan>('free', 'starter', 'pro').map(changePlan) },
  { weight: 8, arbitrary: fc.tuple(jobId, cost).map(([id, [full, least]]) => debit(id, full, least)) },
  { weight: 4, arbitrary: fc.tuple(batchId, fc.constantFrom(5, 20, 400)).map(([id, credits]) => hold(id, credits)) },
  { weight: 2, arbitrary: batchId.map(release) },
  { weight: 8, arbitrary: fc.tuple(batchId, jobId, fc.constantFrom(1, 5, 10)).map((of) => debitOfBatch(...of)) },
  { weight: 6, arbitrary: fc.tuple(jobId, fc.constantFrom(0, 1, 5, 10), reason).map((of) => settle(...of)) },
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

/** Decides the moves one by one. Returns the appends, and the ledger after them. */
function play(
  moves: readonly Move[],
  start: Ledger = inMonthOf(credits.initialState, instantOf(0)),
): { appends: DatedEvent[][]; events: DatedEvent[]; ledger: Ledger } {
  let month = 0
  let ledger = start
  const held = new Set<string>()
  const appends: DatedEvent[][] = []
  for (const { command, months } of moves) {
    month += months
    // The id of a batch is never used again.
    if (command.type === 'hold' && held.has(command.batchId)) continue
    const stored = recorded(credits.decide(command, ledger), instantOf(month))
    for (const { type, data } of stored) if (type === 'CreditsHeld') held.add(data.batchId)
    appends.push(stored)
    ledger = evolveAll(ledger, stored)
  }
  return { appends, events: appends.flat(), ledger }
}

/**
 * Counts the balance as a customer would. Every credit belongs to the period that gave it, and expires at the end of
 * that period, even if it is refunded later. A period ends when a new month begins after the month that gave its
 * credits.
 */
class Purses {
  balance = 0
  #period = 0
  #month = ''
  #given = 0
  readonly #debits = new Map<string, { batchId: string | undefined; period: number }>()
  readonly #holds = new Map<string, { left: number; period: number }>()

  take(append: readonly CreditsEvent[]): void {
    for (const event of append)
      switch (event.type) {
        case 'CreditsGranted':
          this.balance += event.data.credits
          return
        case 'CreditsHeld':
          this.balance -= event.data.credits
          this.#holds.set(event.data.batchId, { left: event.data.credits, period: this.#period })
          return
        case 'CreditsReleased':
          this.#release(event.data)
          return
        case 'CreditsDebited':
          this.#debit(event.data)
          return
        case 'CreditsSettled':
          this.#refund(event.data)
          return
        case 'CreditsRenewed':
          this.#renew(event.data)
      }
  }

  #debit({ jobId, credits, batch }: DomainEvent<'CreditsDebited'>['data']): void {
    const hold = batch === null ? undefined : this.#holds.get(batch.batchId)
    if (batch === null) this.balance -= credits
    else if (hold === undefined) throw new Error('a batch takes more than its hold')
    else hold.left -= credits
    expect(hold?.left ?? 0).to.be.at.least(0)
    this.#debits.set(jobId, { batchId: batch?.batchId, period: hold?.period ?? this.#period })
  }

  #refund({ jobId, refunded }: DomainEvent<'CreditsSettled'>['data']): void {
    const debit = this.#debits.get(jobId)
    const hold = this.#holds.get(debit?.batchId ?? '')
    if (hold !== undefined) hold.left += refunded
    else if (debit?.period === this.#period) this.balance += refunded
  }

  #release({ batchId, credits }: DomainEvent<'CreditsReleased'>['data']): void {
    const hold = this.#holds.get(batchId)
    expect(credits, 'what is left is released').to.equal(hold?.left)
    if (hold?.period === this.#period) this.balance += credits
    this.#holds.delete(batchId)
  }

  #renew({ period, credits }: { period: string; credits: number }): void {
    if (period !== this.#month && this.#given > 0) {
      this.balance = 0
      this.#period++
    }
    this.#given = period === this.#month ? this.#given + credits : credits
    this.#month = period
    this.balance += credits
  }
}

/** The part of a ledger that does not depend on the time of its last statement. */
const essence = ({ unstated: _, openDebits, holds, ...rest }: Ledger) => ({
  ...rest,
  openDebits: [...openDebits],
  holds: [...holds],
})

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
        lowest = Math.min(lowest, state.balance)
      }
      expect(lowest).to.equal(0)
    })
  })

  it('has balance + holds = grants + renewals − expiries − debits + refunds', () => {
    check(moves, (all) => {
      const { events, ledger } = play(all)
      const changes = events.map((event) => {
        if (event.type === 'CreditsGranted') return event.data.credits
        if (event.type === 'CreditsRenewed') return event.data.credits - event.data.expired
        if (event.type === 'CreditsDebited') return -event.data.credits
        return event.type === 'CreditsSettled' ? event.data.refunded : 0
      })
      expect(ledger.balance + sum([...ledger.holds.values()].map((hold) => hold.credits))).to.equal(sum(changes))
    })
  })

  it('settles every debit at most once, with charged + refunded equal to the debit', () => {
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

  it('has exactly the credits that belong to its period', () => {
    let ended = 0
    check(moves, (all) => {
      const purses = new Purses()
      let state = credits.initialState
      for (const append of play(all).appends) {
        purses.take(append)
        state = evolveAll(state, append)
        expect(state.balance).to.equal(purses.balance)
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

  it('begins a month only if an event was recorded in an earlier one', () => {
    check(moves, (all) => {
      const recordedIn = new Set([periodOf(instantOf(0))])
      for (const event of play(all).events) {
        if (event.type === 'CreditsRenewed') expect([...recordedIn]).to.include(event.data.period)
        recordedIn.add(periodOf(event.recordedAt ?? 0))
      }
    })
  })

  it('renews in every month once an event is recorded in it, whatever the clock did before', () => {
    const later = fc.record({ before: moves, months: fc.integer({ min: 1, max: 12 }) })
    check(later, ({ before, months }) => {
      let { ledger } = play([...before, { command: changePlan('starter'), months: 0 }])
      for (let month = 40; month < 40 + months; month++) {
        const period = periodOf(instantOf(month))
        const isGiven = ledger.months.includes(period)
        for (const isRecorded of [false, true]) {
          const decided = credits.decide(grant(1), ledger)
          const [first] = decided
          const begins = first?.type === 'CreditsRenewed' && first.data.period === period
          expect(begins).to.equal(isRecorded && !isGiven)
          ledger = evolveAll(ledger, recorded(decided, instantOf(month)))
        }
      }
    })
  })

  it('is the same whether folded from its start or from its last CreditsStated', () => {
    const ledger = {
      ...initialLedger,
      exists: true,
      balance: 900,
      recordedIn: '2026-01',
      unstated: EVENTS_PER_STATEMENT - 10,
    }
    let stated = 0
    check(moves, (all) => {
      const { events, ledger: whole } = play(all, ledger)
      const last = events.findLastIndex(({ type }) => type === 'CreditsStated')
      if (last === -1) return
      stated++
      expect(evolveAll(credits.initialState, events.slice(last))).to.deep.equal(whole)
    })
    expect(stated, 'histories with a statement').to.be.greaterThan(RUNS / 4)
  })

  it('has a CreditsStated after at most 200 events and one append', () => {
    const long = fc.array(move, { minLength: 250, maxLength: 450, size: 'max' })
    fc.assert(
      fc.property(long, (all) => {
        let unstated = 0
        for (const event of play(all).events) {
          unstated = event.type === 'CreditsStated' ? 0 : unstated + 1
          expect(unstated).to.be.at.most(EVENTS_PER_STATEMENT + 3)
        }
      }),
      { numRuns: 50, endOnFailure: true },
    )
  })

  it('is the same whether decided in one batch or one by one', () => {
    const batches = fc.record({ before: moves, batch: fc.array(command, { maxLength: 20, size: 'max' }) })
    check(batches, ({ before, batch }) => {
      const { ledger } = play(before)
      const together = decideTogether(batch, ledger)
      let then = ledger
      const outcomes = batch.map((one) => {
        const alone = decideTogether([one], then)
        then = alone.after
        return alone.outcomes[0]
      })
      expect(together.outcomes).to.deep.equal(outcomes)
      expect(essence(together.after)).to.deep.equal(essence(then))
      expect(together.owners).to.have.length(together.events.length)
      const writing = new Set(together.owners)
      outcomes.forEach((outcome, index) => {
        expect(writing.has(index)).to.equal(outcome?.type === 'done' || outcome?.type === 'debited')
      })
    })
  })
})
