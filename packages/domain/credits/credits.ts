import type { Decider } from '#packages/event-sourcing/decider.ts'
import {
  apply,
  type CreditsEvent,
  draftOf,
  heldIn,
  initialLedger,
  type Ledger,
  type LedgerDraft,
  type Purpose,
  type Spending,
} from './ledger.ts'
import {
  canBeStated,
  type DatedEvent,
  evolveMonths,
  hasLapsed,
  initialMonths,
  isDue,
  type Months,
  monthAfter,
  monthsToKeep,
  periodOf,
} from './months.ts'
import { type Plan, plans, SIGN_UP_CREDITS } from './plans.ts'

/** The credits of one organization, folded from its stream: its ledger, and which months have given their credits. */
export type Credits = { ledger: Ledger; months: Months }

export type CreditsCommand =
  /** Grants the sign-up credits, once. */
  | { type: 'register' }
  | { type: 'grant'; credits: number }
  | { type: 'change-plan'; plan: Plan }
  /** Debits `full` credits for a job, or `least` where the balance covers only that. */
  | {
      type: 'debit'
      jobId: string
      full: number
      least: number
      requestHash: string
      purpose: Purpose
      /** The most that the key may take in a calendar month (UTC); null: as much as there is. */
      monthlyCredits: number | null
    }
  /**
   * Charges what an ended job has cost and refunds the rest of its debit. `debitedAt`: when the debit was recorded,
   * milliseconds since 1970, for a ledger that knows the debit from its last statement only.
   */
  | { type: 'settle'; jobId: string; charged: number; reason: string; debitedAt?: number }

export type CreditsOutcome =
  | { type: 'done' }
  | { type: 'debited'; credits: number }
  /** Short of credits. `held`: credits in open debits, of which some may come back. */
  | { type: 'insufficient'; required: number; remaining: number; held: number }
  /** The key's monthly credits do not cover it. `held`: those in open debits of that key and month. */
  | { type: 'over-monthly-credits'; required: number; remaining: number; held: number }
  | { type: 'too-many-open-debits' }
  /** The job has a debit already, which is not settled. */
  | { type: 'already-open'; credits: number; requestHash: string }
  /** There was nothing to do: the debit is not open, or the plan is the same. */
  | { type: 'nothing' }

/** Debits of one organization that may be open at once. */
export const MAX_OPEN_DEBITS = 2000

/** The decider adds a CreditsStated to its append after this many events. */
export const EVENTS_PER_STATEMENT = 200

/** A clock this far behind the newest recorded event, milliseconds, writes no renewal. */
export const BEHIND_MS = 60_000

/** The credits after further events, oldest first. The ledger is copied once for all of them. */
export function evolveAll({ ledger, months }: Credits, events: Iterable<DatedEvent>): Credits {
  const draft = draftOf(ledger)
  let then = months
  for (const event of events) {
    then = evolveMonths(then, event, draft)
    apply(draft, event)
  }
  return { ledger: draft, months: then }
}

/**
 * An organization's credits: granted at sign-up and by operators, renewed each month by its plan, debited when a job is
 * accepted and settled when the job has ended. `now`: the time at which a command is decided, milliseconds since 1970.
 */
export const credits: Decider<Credits, CreditsCommand & { now: number }, CreditsEvent> = {
  eventTypes: ['CreditsGranted', 'PlanChanged', 'CreditsRenewed', 'CreditsDebited', 'CreditsSettled', 'CreditsStated'],
  initialState: { ledger: initialLedger, months: initialMonths },
  evolve: (state, event) => evolveAll(state, [event]),
  decide: ({ now, ...command }, state) => decideTogether([command], state, now).events,
}

/** The time at which a command is decided. */
type Moment = {
  /** The month of the deciding clock. */
  period: string
  /** True where that clock is behind the newest event. */
  isBehind: boolean
}

const momentOf = ({ recordedAt }: Months, now: number): Moment => ({
  period: periodOf(now),
  isBehind: recordedAt > now + BEHIND_MS,
})

/**
 * The first event of the first append in a new month: the whole balance expires, the plan's credits are given. A Free
 * organization gets one, with 0 credits, only where the last period gave something. A month gives its credits once.
 */
function renewal({ ledger, months }: Credits, { period, isBehind }: Moment): CreditsEvent | undefined {
  if (isBehind || !isDue(months, period)) return undefined
  const credits = plans[ledger.plan].monthlyCredits
  if (credits === 0 && ledger.renewed === 0) return undefined
  return { type: 'CreditsRenewed', data: { period, credits, expired: ledger.balance } }
}

/** The credits with the renewal that is due at `now` applied, to show them. */
export function asIfRenewed(state: Credits, now: number): Credits {
  const renewed = renewal(state, momentOf(state.months, now))
  return renewed === undefined ? state : evolveAll(state, [renewed])
}

/** When credits expire and the plan gives new ones: a month, YYYY-MM, and the credits that are then available. */
export type NextRenewal = { period: string; credits: number }

/**
 * The first renewal after `now`; undefined where none will be due.
 * @param state with the renewal that is due at `now` applied
 */
export function nextRenewal({ ledger, months }: Credits, now: number): NextRenewal | undefined {
  const credits = plans[ledger.plan].monthlyCredits
  if (credits === 0 && ledger.renewed === 0) return undefined
  const month = periodOf(now)
  let period = monthAfter(month > months.from ? month : months.from)
  while (!isDue(months, period)) period = monthAfter(period)
  return { period, credits }
}

type Decision = { events: CreditsEvent[]; outcome: CreditsOutcome }

const nothing: Decision = { events: [], outcome: { type: 'nothing' } }
const done = (...events: CreditsEvent[]): Decision => ({ events, outcome: { type: 'done' } })

function decideOne(command: CreditsCommand, state: Credits, moment: Moment): Decision {
  switch (command.type) {
    case 'register':
      if (state.ledger.exists) return nothing
      return done({ type: 'CreditsGranted', data: { credits: SIGN_UP_CREDITS, reason: 'sign_up' } })
    case 'grant':
      return done({ type: 'CreditsGranted', data: { credits: command.credits, reason: 'adjustment' } })
    case 'change-plan':
      return changePlan(command.plan, state, moment)
    case 'debit':
      return debit(command, state.ledger, moment)
    case 'settle':
      return settle(command, state)
  }
}

function changePlan(plan: Plan, { ledger, months }: Credits, { period, isBehind }: Moment): Decision {
  if (plan === ledger.plan) return nothing
  const changed: CreditsEvent = { type: 'PlanChanged', data: { plan } }
  // The renewal that is due is applied already; an organization that gets none has been given nothing.
  const difference = plans[plan].monthlyCredits - ledger.renewed
  if (difference <= 0) return done(changed)
  // No month is begun twice. A clock that is behind begins no month but the ledger's first.
  const begins = isDue(months, period) && (!isBehind || ledger.period === '')
  const month = begins ? period : ledger.period
  return done(changed, { type: 'CreditsRenewed', data: { period: month, credits: difference, expired: 0 } })
}

function debit(command: CreditsCommand & { type: 'debit' }, ledger: Ledger, moment: Moment): Decision {
  const { jobId, full, least, requestHash, purpose } = command
  const open = ledger.openDebits.get(jobId)
  if (open !== undefined) {
    const { credits, requestHash } = open
    return { events: [], outcome: { type: 'already-open', credits, requestHash } }
  }
  if (ledger.openDebits.size >= MAX_OPEN_DEBITS) return { events: [], outcome: { type: 'too-many-open-debits' } }
  if (ledger.balance < least) {
    const short = { required: least, remaining: ledger.balance, held: heldIn(ledger) }
    return { events: [], outcome: { type: 'insufficient', ...short } }
  }
  const { period, left } = allowance(command, ledger.spending, moment)
  if (left < least) {
    const held = heldIn(ledger, (open) => open.keyId === purpose.keyId && open.period === period)
    return { events: [], outcome: { type: 'over-monthly-credits', required: least, remaining: left, held } }
  }
  const credits = Math.min(ledger.balance, left) >= full ? full : least
  const debited: CreditsEvent = { type: 'CreditsDebited', data: { jobId, credits, requestHash, ...purpose, period } }
  return { events: [debited], outcome: { type: 'debited', credits } }
}

/** What the key may still take, and in which month. A clock that is behind goes on with the month that has begun. */
function allowance(
  { purpose: { keyId }, monthlyCredits }: CreditsCommand & { type: 'debit' },
  spending: Spending,
  moment: Moment,
): { period: string; left: number } {
  const period = moment.period > spending.period ? moment.period : spending.period
  if (monthlyCredits === null) return { period, left: Number.POSITIVE_INFINITY }
  const spent = period === spending.period ? (spending.byKey.get(keyId ?? '') ?? 0) : 0
  return { period, left: Math.max(0, monthlyCredits - spent) }
}

/** A refund returns to the period of its debit: if the credits of that period have expired, it expires at once. */
function settle(command: CreditsCommand & { type: 'settle' }, { ledger, months }: Credits): Decision {
  const { jobId, charged, reason, debitedAt } = command
  const open = ledger.openDebits.get(jobId)
  if (open === undefined) return nothing
  const kept = Math.min(charged, open.credits)
  const refunded = open.credits - kept
  const { operation, mode, platform, keyId } = open
  const settled: CreditsEvent = {
    type: 'CreditsSettled',
    data: { jobId, charged: kept, refunded, reason, operation, mode, platform, keyId },
  }
  if (refunded === 0 || !hasLapsed(months, jobId, debitedAt)) return done(settled)
  return done(settled, { type: 'CreditsRenewed', data: { period: ledger.period, credits: 0, expired: refunded } })
}

function statement(ledger: Ledger): CreditsEvent {
  const { balance, plan, period, renewed } = ledger
  const openDebits = [...ledger.openDebits].map(([jobId, debit]) => ({ jobId, ...debit }))
  const keys = [...ledger.spending.byKey].map(([keyId, credits]) => ({ keyId, credits }))
  const spending = { period: ledger.spending.period, keys }
  return { type: 'CreditsStated', data: { balance, plan, period, renewed, openDebits, spending } }
}

/** The renewals of nothing that must stand before a statement, and the statement. */
function statements({ ledger, months }: Credits, period: string): CreditsEvent[] {
  const kept = monthsToKeep(months, ledger, period).map(
    (month): CreditsEvent => ({ type: 'CreditsRenewed', data: { period: month, credits: 0, expired: 0 } }),
  )
  return [...kept, statement(ledger)]
}

/** Collects decided events, and folds them into the credits. */
class Draft implements Credits {
  readonly ledger: LedgerDraft
  months: Months
  readonly events: CreditsEvent[] = []
  /** By event, the index of the command that it belongs to. */
  readonly owners: number[] = []

  constructor({ ledger, months }: Credits) {
    this.ledger = draftOf(ledger)
    this.months = months
  }

  add(owner: number, events: readonly CreditsEvent[]): void {
    for (const event of events) {
      this.months = evolveMonths(this.months, event, this.ledger)
      apply(this.ledger, event)
      this.events.push(event)
      this.owners.push(owner)
    }
  }
}

/** The result of commands of one organization that were decided together. */
export type DecidedTogether = {
  events: CreditsEvent[]
  /** By event, the index of the command that it belongs to. */
  owners: number[]
  /** By command. */
  outcomes: CreditsOutcome[]
  /** The credits once the events are stored. */
  after: Credits
}

/**
 * Decides commands of one organization that arrive together, each on the state after the one before it. If no command
 * changes anything, there are no events. Otherwise a renewal that is due comes first, a CreditsStated that is due last.
 * @param now milliseconds since 1970
 */
export function decideTogether(commands: readonly CreditsCommand[], state: Credits, now: number): DecidedTogether {
  const moment = momentOf(state.months, now)
  const draft = new Draft(state)
  const renewed = renewal(state, moment)
  if (renewed !== undefined) draft.add(0, [renewed])
  const outcomes = commands.map((command, owner) => {
    const { events, outcome } = decideOne(command, draft, moment)
    draft.add(owner, events)
    return outcome
  })
  const before = renewed === undefined ? 0 : 1
  if (draft.events.length === before) return { events: [], owners: [], outcomes, after: state }
  // The renewal belongs to the first command that writes anything.
  if (renewed !== undefined) draft.owners[0] = draft.owners[1] ?? 0
  if (draft.ledger.unstated >= EVENTS_PER_STATEMENT && canBeStated(draft.months, draft.ledger))
    draft.add(draft.owners.at(-1) ?? 0, statements(draft, moment.period))
  const { events, owners, ledger, months } = draft
  return { events, owners, outcomes, after: { ledger, months } }
}
