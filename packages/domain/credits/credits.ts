import type { Decider } from '#packages/event-sourcing/decider.ts'
import {
  apply,
  type CreditsEvent,
  type DatedEvent,
  draftOf,
  type Hold,
  heldIn,
  initialLedger,
  type Ledger,
  type Purpose,
} from './ledger.ts'
import { mayBegin, monthAfter, periodOf } from './months.ts'
import { type Plan, plans, SIGN_UP_CREDITS } from './plans.ts'

/** `by`: the author, as the events name it. */
export type CreditsCommand =
  /** Grants the sign-up credits, once. */
  | { type: 'register'; by: string }
  | { type: 'grant'; credits: number; by: string }
  | { type: 'change-plan'; plan: Plan; by: string }
  /** Debits `full` credits for a job, or `least` if the balance covers only that. */
  | {
      type: 'debit'
      jobId: string
      full: number
      least: number
      requestHash: string
      purpose: Purpose
      /** The most that the key may take in a calendar month (UTC); null: no limit. */
      monthlyCredits: number | null
    }
  /** Charges the price of an ended job and refunds the rest of its debit. */
  | { type: 'settle'; jobId: string; charged: number; reason: string }
  /** Sets credits aside for the jobs of a batch. `monthlyCredits`: as for a debit. */
  | ({ type: 'hold'; batchId: string; credits: number; monthlyCredits: number | null } & Pick<
      Hold,
      'keyId' | 'requestHash'
    >)
  /** Releases the rest of a batch's hold. */
  | { type: 'release'; batchId: string }

export type CreditsOutcome =
  | { type: 'done' }
  /** Credits were debited for a job or set aside for a batch. */
  | { type: 'debited'; credits: number }
  /** Not enough credits. `held`: credits in open debits; some may be refunded. */
  | { type: 'insufficient'; required: number; remaining: number; held: number }
  /** The key's monthly credits do not cover the amount. `held`: credits in the open debits of that key and month. */
  | { type: 'over-monthly-credits'; required: number; remaining: number; held: number }
  | { type: 'too-many-open-debits' }
  /** The hold of the batch was released. */
  | { type: 'no-hold' }
  /** The job already has an open debit, or the batch a hold. */
  | { type: 'already-open'; credits: number; requestHash: string }
  /** There was nothing to do: the debit or hold is not open, or the plan is the same. */
  | { type: 'nothing' }

/** How many debits an organization may have open at once, and how many holds. */
export const MAX_OPEN_DEBITS = 2000
export const MAX_HOLDS = 100

/** After this many events, the decider adds a CreditsStated to its append. */
export const EVENTS_PER_STATEMENT = 200

/** The ledger after further events, oldest first. It is copied once for all of them. */
export function evolveAll(ledger: Ledger, events: Iterable<DatedEvent>): Ledger {
  const draft = draftOf(ledger)
  for (const event of events) apply(draft, event)
  return draft
}

/**
 * An organization's credits. They are granted at sign-up and by operators, renewed each month by its plan, debited when
 * a job is accepted, and settled when the job has ended. No clock decides: the month is that of the ledger
 * (`recordedIn`).
 */
export const credits: Decider<Ledger, CreditsCommand, CreditsEvent> = {
  eventTypes: [
    'CreditsGranted',
    'PlanChanged',
    'CreditsRenewed',
    'CreditsHeld',
    'CreditsReleased',
    'CreditsDebited',
    'CreditsSettled',
    'CreditsStated',
  ],
  initialState: initialLedger,
  evolve: (ledger, event) => evolveAll(ledger, [event]),
  decide: (command, ledger) => decideTogether([command], ledger).events,
}

/**
 * The first event of the first append after an event in a new month. Last month's credits and all grants expire, and
 * the plan's credits are given. A month gives its credits once. The first credits of a plan expire nothing. Undefined
 * if there is nothing to give, and nothing that expires.
 */
function renewal({ balance, plan, recordedIn, months, renewed }: Ledger): CreditsEvent | undefined {
  const credits = plans[plan].monthlyCredits
  if ((credits === 0 && renewed === 0) || !mayBegin(months, recordedIn)) return undefined
  return { type: 'CreditsRenewed', data: { period: recordedIn, credits, expired: renewed > 0 ? balance : 0 } }
}

/** The ledger in the month of an instant, milliseconds since 1970. */
export const inMonthOf = (ledger: Ledger, instant: number): Ledger => ({ ...ledger, recordedIn: periodOf(instant) })

/** The ledger as if an event were recorded now: with the renewal that is then due. */
export function asIfRecorded(ledger: Ledger, instant: number): Ledger {
  const then = inMonthOf(ledger, instant)
  const renewed = renewal(then)
  return renewed === undefined ? then : evolveAll(then, [renewed])
}

/**
 * The next renewal: its month, YYYY-MM, when credits expire and the plan gives new ones, and the credits that are then
 * available.
 */
export type NextRenewal = { period: string; credits: number }

/** The first renewal after the month of a ledger; undefined if none will be due. */
export function nextRenewal({ plan, recordedIn, months, renewed }: Ledger): NextRenewal | undefined {
  const credits = plans[plan].monthlyCredits
  if (credits === 0 && renewed === 0) return undefined
  let period = monthAfter(recordedIn)
  while (!mayBegin(months, period)) period = monthAfter(period)
  return { period, credits }
}

type Decision = { events: CreditsEvent[]; outcome: CreditsOutcome }

const nothing: Decision = { events: [], outcome: { type: 'nothing' } }
const done = (...events: CreditsEvent[]): Decision => ({ events, outcome: { type: 'done' } })

function decideOne(command: CreditsCommand, ledger: Ledger): Decision {
  switch (command.type) {
    case 'register':
      if (ledger.exists) return nothing
      return done({ type: 'CreditsGranted', data: { credits: SIGN_UP_CREDITS, reason: 'sign_up', by: command.by } })
    case 'grant':
      return done({ type: 'CreditsGranted', data: { credits: command.credits, reason: 'adjustment', by: command.by } })
    case 'change-plan':
      return changePlan(command, ledger)
    case 'debit':
      return debit(command, ledger)
    case 'settle':
      return settle(command, ledger)
    case 'hold':
      return hold(command, ledger)
    case 'release':
      return release(command, ledger)
  }
}

/** An upgrade gives the difference at once. In a ledger without a month, the first renewal will give the credits. */
function changePlan({ plan, by }: CreditsCommand & { type: 'change-plan' }, ledger: Ledger): Decision {
  const { plan: before, recordedIn, period, months, renewed } = ledger
  if (plan === before) return nothing
  const changed: CreditsEvent = { type: 'PlanChanged', data: { plan, by } }
  // A due renewal was applied before. An organization without renewals has been given nothing yet.
  const difference = plans[plan].monthlyCredits - renewed
  const month = mayBegin(months, recordedIn) ? recordedIn : period
  if (difference <= 0 || month === '') return done(changed)
  return done(changed, { type: 'CreditsRenewed', data: { period: month, credits: difference, expired: 0 } })
}

function debit(command: CreditsCommand & { type: 'debit' }, ledger: Ledger): Decision {
  const { jobId, full, least, requestHash, purpose } = command
  const open = ledger.openDebits.get(jobId)
  if (open !== undefined) {
    const { credits, requestHash } = open
    return { events: [], outcome: { type: 'already-open', credits, requestHash } }
  }
  if (ledger.openDebits.size >= MAX_OPEN_DEBITS) return refused({ type: 'too-many-open-debits' })
  if (purpose.batch !== null) return debitHold(command, purpose.batch.batchId, ledger)
  const taken = { least, keyId: purpose.keyId, monthlyCredits: command.monthlyCredits }
  const short = shortage(taken, ledger)
  if (short !== undefined) return refused(short)
  const { period, left } = allowance(taken, ledger)
  const credits = Math.min(ledger.balance, left) >= full ? full : least
  const debited: CreditsEvent = { type: 'CreditsDebited', data: { jobId, credits, requestHash, ...purpose, period } }
  return { events: [debited], outcome: { type: 'debited', credits } }
}

const refused = (outcome: CreditsOutcome): Decision => ({ events: [], outcome })

/** A debit that exceeds the hold of its batch is refused, even if the balance would cover it. */
function debitHold(
  { jobId, full: credits, requestHash, purpose }: CreditsCommand & { type: 'debit' },
  batchId: string,
  ledger: Ledger,
): Decision {
  const hold = ledger.holds.get(batchId)
  if (hold === undefined) return refused({ type: 'no-hold' })
  if (hold.credits < credits)
    return refused({ type: 'insufficient', required: credits, remaining: hold.credits, held: 0 })
  const { period } = hold
  const debited: CreditsEvent = { type: 'CreditsDebited', data: { jobId, credits, requestHash, ...purpose, period } }
  return { events: [debited], outcome: { type: 'debited', credits } }
}

function hold({ type: _, monthlyCredits, ...held }: CreditsCommand & { type: 'hold' }, ledger: Ledger): Decision {
  const { batchId, credits, keyId } = held
  const open = ledger.holds.get(batchId)
  if (open !== undefined) return refused({ type: 'already-open', credits: open.credits, requestHash: open.requestHash })
  if (ledger.holds.size >= MAX_HOLDS) return refused({ type: 'too-many-open-debits' })
  const taken = { least: credits, keyId, monthlyCredits }
  const short = shortage(taken, ledger)
  if (short !== undefined) return refused(short)
  const { period } = allowance(taken, ledger)
  return { events: [{ type: 'CreditsHeld', data: { ...held, period } }], outcome: { type: 'debited', credits } }
}

/** Like a refund, released credits return to the period of their hold. */
function release({ batchId }: CreditsCommand & { type: 'release' }, ledger: Ledger): Decision {
  const open = ledger.holds.get(batchId)
  if (open === undefined) return nothing
  const { credits, keyId } = open
  const released: CreditsEvent = { type: 'CreditsReleased', data: { batchId, credits, keyId } }
  return credits > 0 && open.lapsed ? done(released, expiry(credits, ledger)) : done(released)
}

const expiry = (expired: number, { period }: Ledger): CreditsEvent => ({
  type: 'CreditsRenewed',
  data: { period, credits: 0, expired },
})

/** The key that takes credits, and the least amount. `monthlyCredits`: the key's limit for a month; null: no limit. */
type Taken = { least: number; keyId: string | null; monthlyCredits: number | null }

/** The reason why this amount cannot be taken. Undefined if it can be taken. */
function shortage(taken: Taken, ledger: Ledger): CreditsOutcome | undefined {
  const { least, keyId } = taken
  if (ledger.balance < least)
    return { type: 'insufficient', required: least, remaining: ledger.balance, held: heldIn(ledger) }
  const { period, left } = allowance(taken, ledger)
  if (left >= least) return undefined
  const held = heldIn(ledger, (open) => open.keyId === keyId && open.period === period)
  return { type: 'over-monthly-credits', required: least, remaining: left, held }
}

/** How much the key may still take, and the month in which it counts. Months never go back. */
function allowance(
  { keyId, monthlyCredits }: Taken,
  { recordedIn, spending }: Ledger,
): { period: string; left: number } {
  const period = recordedIn > spending.period ? recordedIn : spending.period
  if (monthlyCredits === null) return { period, left: Number.POSITIVE_INFINITY }
  const spent = period === spending.period ? (spending.byKey.get(keyId ?? '') ?? 0) : 0
  return { period, left: Math.max(0, monthlyCredits - spent) }
}

/** A refund returns to the period of its debit. If the credits of that period have expired, it expires at once. */
function settle(command: CreditsCommand & { type: 'settle' }, ledger: Ledger): Decision {
  const { jobId, charged, reason } = command
  const open = ledger.openDebits.get(jobId)
  if (open === undefined) return nothing
  const kept = Math.min(charged, open.credits)
  const refunded = open.credits - kept
  const { operation, mode, platform, keyId, batch } = open
  const settled: CreditsEvent = {
    type: 'CreditsSettled',
    data: { jobId, charged: kept, refunded, reason, operation, mode, platform, keyId, batch },
  }
  // Credits refunded into a hold expire with the hold.
  const isExpired = open.lapsed && !ledger.holds.has(batch?.batchId ?? '')
  return refunded > 0 && isExpired ? done(settled, expiry(refunded, ledger)) : done(settled)
}

/** The whole ledger, as an event that changes nothing. */
export function statement(ledger: Ledger): CreditsEvent {
  const { balance, plan, period, renewed, fillings } = ledger
  const openDebits = [...ledger.openDebits].map(([jobId, debit]) => ({ jobId, ...debit }))
  const holds = [...ledger.holds].map(([batchId, hold]) => ({ batchId, ...hold }))
  const keys = [...ledger.spending.byKey].map(([keyId, credits]) => ({ keyId, credits }))
  const spending = { period: ledger.spending.period, keys }
  return {
    type: 'CreditsStated',
    data: { balance, plan, period, months: [...ledger.months], renewed, fillings, openDebits, holds, spending },
  }
}

/** The result of commands of one organization that were decided together. */
export type DecidedTogether = {
  events: CreditsEvent[]
  /** For each event, the index of its command. */
  owners: number[]
  /** By command. */
  outcomes: CreditsOutcome[]
  /** The ledger once the events are stored. */
  after: Ledger
}

/**
 * Decides commands of one organization that arrive together, each on the ledger after the one before it. If no command
 * changes anything, there are no events. Otherwise a due renewal comes first, and a due CreditsStated last.
 */
export function decideTogether(commands: readonly CreditsCommand[], ledger: Ledger): DecidedTogether {
  const after = draftOf(ledger)
  const events: CreditsEvent[] = []
  const owners: number[] = []
  const add = (owner: number, decided: readonly CreditsEvent[]): void => {
    for (const event of decided) {
      apply(after, event)
      events.push(event)
      owners.push(owner)
    }
  }
  const renewed = renewal(ledger)
  if (renewed !== undefined) add(0, [renewed])
  const outcomes = commands.map((command, owner) => {
    const { events: decided, outcome } = decideOne(command, after)
    add(owner, decided)
    return outcome
  })
  const before = renewed === undefined ? 0 : 1
  if (events.length === before) return { events: [], owners: [], outcomes, after: ledger }
  // The renewal belongs to the first command that writes anything.
  if (renewed !== undefined) owners[0] = owners[1] ?? 0
  if (after.unstated >= EVENTS_PER_STATEMENT) add(owners.at(-1) ?? 0, [statement(after)])
  return { events, owners, outcomes, after }
}
