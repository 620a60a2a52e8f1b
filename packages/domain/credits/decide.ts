import type { EventData } from '#contracts/generated/events.ts'
import { apply, draftOf, evolve, type Ledger, type LedgerEvent } from './ledger.ts'
import { type Plan, plans, SIGN_UP_CREDITS } from './plans.ts'

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
  | { type: 'settle'; jobId: string; charged: number; reason: string }

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

/** The month of an instant (milliseconds since 1970), YYYY-MM in UTC. */
export const periodOf = (instant: number): string => new Date(instant).toISOString().slice(0, 7)

/**
 * What the first append of a new month puts first: the whole balance expires and the plan's credits are given. A Free
 * organization gets this, with 0 credits, only where the last period gave something. Never goes back in time.
 */
function renewal(ledger: Ledger, period: string): LedgerEvent | undefined {
  if (period <= ledger.period) return undefined
  const credits = plans[ledger.plan].monthlyCredits
  if (credits === 0 && ledger.renewed === 0) return undefined
  return { type: 'CreditsRenewed', data: { period, credits, expired: ledger.balance } }
}

/** The ledger as it would be after the renewal that is due, for showing a balance. */
export function asIfRenewed(ledger: Ledger, period: string): Ledger {
  const renewed = renewal(ledger, period)
  return renewed === undefined ? ledger : evolve(ledger, renewed)
}

type Decision = { events: LedgerEvent[]; outcome: LedgerOutcome }

const nothing: Decision = { events: [], outcome: { type: 'nothing' } }
const done = (...events: LedgerEvent[]): Decision => ({ events, outcome: { type: 'done' } })

function decideOne(command: LedgerCommand, ledger: Ledger, period: string): Decision {
  switch (command.type) {
    case 'register':
      if (ledger.exists) return nothing
      return done({ type: 'CreditsGranted', data: { credits: SIGN_UP_CREDITS, reason: 'sign_up' } })
    case 'grant':
      return done({ type: 'CreditsGranted', data: { credits: command.credits, reason: 'adjustment' } })
    case 'change-plan':
      return changePlan(command.plan, ledger, period)
    case 'debit':
      return debit(command, ledger)
    case 'settle':
      return settle(command, ledger)
  }
}

function changePlan(plan: Plan, ledger: Ledger, period: string): Decision {
  if (plan === ledger.plan) return nothing
  const changed: LedgerEvent = { type: 'PlanChanged', data: { plan } }
  // The renewal that is due is applied already; an organization that gets none has been given nothing.
  const difference = plans[plan].monthlyCredits - ledger.renewed
  if (difference <= 0) return done(changed)
  // A clock that lags may not take the ledger back to an earlier month.
  const month = period > ledger.period ? period : ledger.period
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

function settle({ jobId, charged, reason }: LedgerCommand & { type: 'settle' }, ledger: Ledger): Decision {
  const open = ledger.openDebits.get(jobId)
  if (open === undefined) return nothing
  const kept = Math.min(charged, open.credits)
  return done({ type: 'CreditsSettled', data: { jobId, charged: kept, refunded: open.credits - kept, reason } })
}

function statement(ledger: Ledger): LedgerEvent {
  const { balance, plan, period, renewed } = ledger
  const openDebits = [...ledger.openDebits].map(([jobId, debit]) => ({ jobId, ...debit }))
  return { type: 'CreditsStated', data: { balance, plan, period, renewed, openDebits } }
}

/**
 * Decides commands of one organization that arrive together, each on the state that the one before it leaves.
 * `period` is the current month. No events at all where no command changes anything; otherwise the renewal that is
 * due comes first, and a CreditsStated last where one is due. `eventOwners[i]` is the index of the command that event
 * i belongs to; `after` is the ledger once the events are stored.
 */
export function decide(
  commands: readonly LedgerCommand[],
  ledger: Ledger,
  period: string,
): { events: LedgerEvent[]; eventOwners: number[]; outcomes: LedgerOutcome[]; after: Ledger } {
  const events: LedgerEvent[] = []
  const eventOwners: number[] = []
  const current = draftOf(asIfRenewed(ledger, period))
  const outcomes = commands.map((command, owner) => {
    const decision = decideOne(command, current, period)
    for (const event of decision.events) {
      apply(current, event)
      events.push(event)
      eventOwners.push(owner)
    }
    return decision.outcome
  })
  if (events.length === 0) return { events, eventOwners, outcomes, after: ledger }
  const renewed = renewal(ledger, period)
  if (renewed !== undefined) {
    events.unshift(renewed)
    eventOwners.unshift(eventOwners[0] ?? 0)
  }
  if (current.unstated >= EVENTS_PER_STATEMENT) {
    const stated = statement(current)
    apply(current, stated)
    events.push(stated)
    eventOwners.push(eventOwners.at(-1) ?? 0)
  }
  return { events, eventOwners, outcomes, after: current }
}
