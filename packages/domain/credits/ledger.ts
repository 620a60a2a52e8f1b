import type { EventData } from '#contracts/generated/events.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { periodOf, withMonth } from './months.ts'
import type { Plan } from './plans.ts'
import { SharedMap } from './shared-map.ts'

export type CreditsEvent = DomainEvent<
  'CreditsGranted' | 'PlanChanged' | 'CreditsRenewed' | 'CreditsDebited' | 'CreditsSettled' | 'CreditsStated'
>

/** An event of a ledger, with the time at which the store has recorded it where that is known. */
export type DatedEvent = CreditsEvent & { recordedAt?: number }

/** What a debit is for. */
export type Purpose = Pick<EventData['CreditsDebited'], 'operation' | 'mode' | 'platform' | 'keyId'>

/**
 * `period`: the month in which it counts for its key's monthly credits, YYYY-MM. `lapsed`: its credits have expired since,
 * so that its refund expires at once.
 */
export type OpenDebit = Purpose & { credits: number; requestHash: string; period: string; lapsed: boolean }

/** Credits debited in one month (YYYY-MM, empty before the first) and not refunded, by key. */
export type Spending = { period: string; byKey: ReadonlyMap<string, number> }

/**
 * The ledger of one organization, folded from its events. Which month it is for a ledger is the month in which the store
 * has recorded its newest event that was read. No other clock counts.
 */
export type Ledger = {
  /** False until something was granted: the organization does not exist. */
  exists: boolean
  /** The number of credits left. Open debits are already subtracted. */
  balance: number
  plan: Plan
  /** The month in which the newest event was recorded, YYYY-MM; empty where that is not known. */
  recordedIn: string
  /** Month of the last renewal, YYYY-MM; empty when there was none. */
  period: string
  /** Months that have begun with a renewal, oldest first: the newest ones. */
  months: readonly string[]
  /** What this period's renewals gave, in credits. */
  renewed: number
  /** By job id. */
  openDebits: ReadonlyMap<string, OpenDebit>
  spending: Spending
  /** Events since the last CreditsStated. */
  unstated: number
}

export const initialLedger: Ledger = {
  exists: false,
  balance: 0,
  plan: 'free',
  recordedIn: '',
  period: '',
  months: [],
  renewed: 0,
  openDebits: new Map(),
  spending: { period: '', byKey: new Map() },
  unstated: 0,
}

/** Credits in the open debits that `isAsked` accepts; without it in all. */
export function heldIn({ openDebits }: Pick<Ledger, 'openDebits'>, isAsked = (_: OpenDebit): boolean => true): number {
  let held = 0
  for (const debit of openDebits.values()) if (isAsked(debit)) held += debit.credits
  return held
}

/** A ledger that its owner is still folding, and may change. */
export type LedgerDraft = Omit<Ledger, 'openDebits' | 'spending'> & {
  openDebits: SharedMap<string, OpenDebit>
  spending: { period: string; byKey: Map<string, number> }
}

/** A copy of a ledger to fold events into. Thousands of open debits are not copied for each append. */
export const draftOf = (ledger: Ledger): LedgerDraft => ({
  ...ledger,
  openDebits: new SharedMap(ledger.openDebits),
  spending: { ...ledger.spending, byKey: new Map(ledger.spending.byKey) },
})

/** Folds one more event into a draft. */
export function apply(draft: LedgerDraft, event: DatedEvent): void {
  draft.exists = true
  if (event.recordedAt !== undefined) draft.recordedIn = periodOf(event.recordedAt)
  draft.unstated += 1
  switch (event.type) {
    case 'CreditsGranted':
      draft.balance += event.data.credits
      return
    case 'PlanChanged':
      draft.plan = event.data.plan
      return
    case 'CreditsRenewed': {
      const { period, credits, expired } = event.data
      if (period !== draft.period) begin(draft, period)
      draft.renewed += credits
      draft.balance += credits - expired
      return
    }
    case 'CreditsDebited': {
      const { jobId, ...data } = event.data
      const debit = { ...data, lapsed: false }
      draft.openDebits.set(jobId, debit)
      draft.balance -= debit.credits
      spend(draft.spending, debit)
      return
    }
    case 'CreditsSettled':
      giveBack(draft.spending, draft.openDebits.get(event.data.jobId), event.data.refunded)
      draft.openDebits.delete(event.data.jobId)
      draft.balance += event.data.refunded
      return
    case 'CreditsStated': {
      const { openDebits, spending, ...stated } = event.data
      const debits = openDebits.map(({ jobId, ...debit }) => [jobId, debit] as const)
      const byKey = new Map(spending.keys.map(({ keyId, credits }) => [keyId, credits]))
      Object.assign(draft, stated, {
        openDebits: new SharedMap(new Map(debits)),
        spending: { period: spending.period, byKey },
        unstated: 0,
      })
    }
  }
}

/** Begins a month. Where the last one gave credits, those of open debits have expired with it. */
function begin(draft: LedgerDraft, period: string): void {
  if (draft.renewed > 0)
    for (const [jobId, debit] of [...draft.openDebits]) draft.openDebits.set(jobId, { ...debit, lapsed: true })
  draft.period = period
  draft.months = withMonth(draft.months, period)
  draft.renewed = 0
}

/** A key's month begins with its first debit. */
function spend(spending: LedgerDraft['spending'], { keyId, period, credits }: OpenDebit): void {
  if (keyId === null || period < spending.period) return
  if (period > spending.period) spending.byKey.clear()
  spending.period = period
  spending.byKey.set(keyId, (spending.byKey.get(keyId) ?? 0) + credits)
}

/** What is refunded in the month of its debit may be spent again by the same key. */
function giveBack({ period, byKey }: LedgerDraft['spending'], debit: OpenDebit | undefined, refunded: number): void {
  if (debit === undefined || debit.keyId === null || debit.period !== period) return
  byKey.set(debit.keyId, (byKey.get(debit.keyId) ?? 0) - refunded)
}
