import type { EventData } from '#contracts/generated/events.ts'
import { apply, draftOf, evolve, type Ledger, type LedgerDraft, type LedgerEvent } from './ledger.ts'
import { evolveMonths, hasLapsed, isDue, type Months, monthsOf, monthsToKeep, periodOf } from './months.ts'
import { type Plan, plans, SIGN_UP_CREDITS } from './plans.ts'

export { periodOf } from './months.ts'

export type LedgerCommand =
  | { type: 'register' }
  | { type: 'grant'; credits: number }
  | { type: 'change-plan'; plan: Plan }
  /** Takes `full` credits; where the balance is short of them but covers `least`, that. */
  | {
      type: 'debit'
      jobId: string
      operation: EventData['CreditsDebited']['operation']
      full: number
      least: number
      requestHash: string
    }
  /** `debitedAt`: when the debit was recorded, milliseconds since 1970; for a ledger that does not know its order. */
  | { type: 'settle'; jobId: string; charged: number; reason: string; debitedAt?: number }

export type LedgerOutcome =
  | { type: 'done' }
  | { type: 'debited'; credits: number }
  | { type: 'insufficient'; required: number; remaining: number }
  | { type: 'too-many-open-debits' }
  /** Nothing was to be done: the debit is not open, or is open already, or the plan is the same. */
  | { type: 'nothing' }

/** Debits of one organization that may be open at once. */
export const MAX_OPEN_DEBITS = 2000

/** The decider adds a CreditsStated to its append after this many events. */
export const EVENTS_PER_STATEMENT = 200

/** A recorded event this much ahead of a clock, milliseconds: the clock is behind, and writes no renewal. */
export const BEHIND_MS = 60_000

/** When something is decided. */
export type Moment = {
  /** The month by the clock of whoever decides. */
  period: string
  months: Months
  /** True where that clock is behind the newest event. */
  isBehind: boolean
}

/** The moment of a decision at `now`, milliseconds since 1970. */
export const momentOf = (months: Months, now: number): Moment => ({
  period: periodOf(now),
  months,
  isBehind: months.recordedAt > now + BEHIND_MS,
})

/** A moment by a clock that is right, for a ledger of which nothing but its state is known. */
const plainMoment = (ledger: Ledger, period: string): Moment => ({ period, months: monthsOf(ledger), isBehind: false })

/**
 * What the first append of a new month puts first: the whole balance expires and the plan's credits are given. A Free
 * organization gets this, with 0 credits, only where the last period gave something. A month gives its credits once.
 */
function renewal(ledger: Ledger, { period, months, isBehind }: Moment): LedgerEvent | undefined {
  if (isBehind || !isDue(months, period)) return undefined
  const credits = plans[ledger.plan].monthlyCredits
  if (credits === 0 && ledger.renewed === 0) return undefined
  return { type: 'CreditsRenewed', data: { period, credits, expired: ledger.balance } }
}

/** The ledger as it would be after the renewal that is due, for showing a balance. */
export function asIfRenewed(ledger: Ledger, when: string | Moment): Ledger {
  const renewed = renewal(ledger, typeof when === 'string' ? plainMoment(ledger, when) : when)
  return renewed === undefined ? ledger : evolve(ledger, renewed)
}

type Decision = { events: LedgerEvent[]; outcome: LedgerOutcome }

const nothing: Decision = { events: [], outcome: { type: 'nothing' } }
const done = (...events: LedgerEvent[]): Decision => ({ events, outcome: { type: 'done' } })

function decideOne(command: LedgerCommand, ledger: Ledger, moment: Moment): Decision {
  switch (command.type) {
    case 'register':
      if (ledger.exists) return nothing
      return done({ type: 'CreditsGranted', data: { credits: SIGN_UP_CREDITS, reason: 'sign_up' } })
    case 'grant':
      return done({ type: 'CreditsGranted', data: { credits: command.credits, reason: 'adjustment' } })
    case 'change-plan':
      return changePlan(command.plan, ledger, moment)
    case 'debit':
      return debit(command, ledger)
    case 'settle':
      return settle(command, ledger, moment.months)
  }
}

function changePlan(plan: Plan, ledger: Ledger, { period, months }: Moment): Decision {
  if (plan === ledger.plan) return nothing
  const changed: LedgerEvent = { type: 'PlanChanged', data: { plan } }
  // The renewal that is due is applied already; an organization that gets none has been given nothing.
  const difference = plans[plan].monthlyCredits - ledger.renewed
  if (difference <= 0) return done(changed)
  // No month that has been renewed for is begun again, however wrong the clock.
  const month = isDue(months, period) ? period : ledger.period
  return done(changed, { type: 'CreditsRenewed', data: { period: month, credits: difference, expired: 0 } })
}

function debit(command: LedgerCommand & { type: 'debit' }, ledger: Ledger): Decision {
  const { jobId, operation, full, least, requestHash } = command
  if (ledger.openDebits.has(jobId)) return nothing
  if (ledger.openDebits.size >= MAX_OPEN_DEBITS) return { events: [], outcome: { type: 'too-many-open-debits' } }
  if (ledger.balance < least)
    return { events: [], outcome: { type: 'insufficient', required: least, remaining: ledger.balance } }
  const credits = ledger.balance >= full ? full : least
  const debited: LedgerEvent = { type: 'CreditsDebited', data: { jobId, credits, operation, requestHash } }
  return { events: [debited], outcome: { type: 'debited', credits } }
}

/** A refund returns to the period that it was debited in: where that has expired since, the refund expires at once. */
function settle(command: LedgerCommand & { type: 'settle' }, ledger: Ledger, months: Months): Decision {
  const { jobId, charged, reason, debitedAt } = command
  const open = ledger.openDebits.get(jobId)
  if (open === undefined) return nothing
  const kept = Math.min(charged, open.credits)
  const refunded = open.credits - kept
  const settled: LedgerEvent = { type: 'CreditsSettled', data: { jobId, charged: kept, refunded, reason } }
  if (refunded === 0 || !hasLapsed(months, jobId, debitedAt)) return done(settled)
  return done(settled, { type: 'CreditsRenewed', data: { period: ledger.period, credits: 0, expired: refunded } })
}

function statement(ledger: Ledger): LedgerEvent {
  const { balance, plan, period, renewed } = ledger
  const openDebits = [...ledger.openDebits].map(([jobId, debit]) => ({ jobId, ...debit }))
  return { type: 'CreditsStated', data: { balance, plan, period, renewed, openDebits } }
}

/** The statement of a ledger, after what it cannot say itself. */
function statements(ledger: Ledger, { months, period }: Moment): LedgerEvent[] {
  const kept = monthsToKeep(months, ledger, period).map(
    (month): LedgerEvent => ({ type: 'CreditsRenewed', data: { period: month, credits: 0, expired: 0 } }),
  )
  return [...kept, statement(ledger)]
}

/** Events as they are decided, and what they make of the ledger and its months. */
class Draft {
  readonly ledger: LedgerDraft
  readonly events: LedgerEvent[] = []
  /** By event, the index of the command that it belongs to. */
  readonly owners: number[] = []
  moment: Moment

  constructor(ledger: Ledger, moment: Moment) {
    this.ledger = draftOf(ledger)
    this.moment = moment
  }

  add(owner: number, events: readonly LedgerEvent[]): void {
    for (const event of events) {
      this.moment = { ...this.moment, months: evolveMonths(this.moment.months, event, this.ledger) }
      apply(this.ledger, event)
      this.events.push(event)
      this.owners.push(owner)
    }
  }
}

/**
 * Decides commands of one organization that arrive together, each on the state that the one before it leaves.
 * `when` is the current month, or the moment where the ledger's months are known. No events at all where no command
 * changes anything; otherwise the renewal that is due comes first, and a CreditsStated last where one is due.
 * `eventOwners[i]` is the index of the command that event i belongs to; `after` and `months` are the ledger and its
 * months once the events are stored.
 */
export function decide(
  commands: readonly LedgerCommand[],
  ledger: Ledger,
  when: string | Moment,
): { events: LedgerEvent[]; eventOwners: number[]; outcomes: LedgerOutcome[]; after: Ledger; months: Months } {
  const moment = typeof when === 'string' ? plainMoment(ledger, when) : when
  const draft = new Draft(ledger, moment)
  const renewed = renewal(ledger, moment)
  if (renewed !== undefined) draft.add(0, [renewed])
  const outcomes = commands.map((command, owner) => {
    const decision = decideOne(command, draft.ledger, draft.moment)
    draft.add(owner, decision.events)
    return decision.outcome
  })
  const before = renewed === undefined ? 0 : 1
  if (draft.events.length === before)
    return { events: [], eventOwners: [], outcomes, after: ledger, months: moment.months }
  // The renewal belongs to the first command that writes anything.
  if (renewed !== undefined) draft.owners[0] = draft.owners[1] ?? 0
  if (draft.ledger.unstated >= EVENTS_PER_STATEMENT)
    draft.add(draft.owners.at(-1) ?? 0, statements(draft.ledger, draft.moment))
  return { events: draft.events, eventOwners: draft.owners, outcomes, after: draft.ledger, months: draft.moment.months }
}
