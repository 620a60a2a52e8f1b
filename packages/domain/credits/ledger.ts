import type { EventData } from '#contracts/generated/events.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { periodOf, withMonth } from './months.ts'
import type { Plan } from './plans.ts'
import { SharedMap } from './shared-map.ts'

export type CreditsEvent = DomainEvent<
  | 'CreditsGranted'
  | 'PlanChanged'
  | 'CreditsRenewed'
  | 'CreditsHeld'
  | 'CreditsReleased'
  | 'CreditsDebited'
  | 'CreditsSettled'
  | 'CreditsStated'
>

/** An event of a ledger, with the time at which the store recorded it, if known. */
export type DatedEvent = CreditsEvent & { recordedAt?: number }

/** The purpose of a debit. */
export type Purpose = Pick<EventData['CreditsDebited'], 'operation' | 'mode' | 'platform' | 'keyId' | 'batch'>

/**
 * An open debit. `period`: the month, YYYY-MM, in which it counts towards its key's monthly credits. `lapsed`: its
 * credits have expired since, so a refund expires at once.
 */
export type OpenDebit = Purpose & { credits: number; requestHash: string; period: string; lapsed: boolean }

/**
 * Credits set aside for a batch. `credits`: what is left. `period` and `lapsed` are as for a debit, and its debits
 * share them.
 */
export type Hold = Omit<EventData['CreditsHeld'], 'batchId'> & { lapsed: boolean }

/** Credits debited in one month (YYYY-MM, empty before the first) and not refunded, by key. */
export type Spending = { period: string; byKey: ReadonlyMap<string, number> }

/**
 * The ledger of one organization, folded from its events. A ledger's month is the month in which the store recorded the
 * newest event that was read. No other clock counts.
 */
export type Ledger = {
  /** False until something was granted: the organization does not exist. */
  exists: boolean
  /** The number of credits left. Open debits and holds are already subtracted. */
  balance: number
  plan: Plan
  /** The month in which the newest event was recorded, YYYY-MM; empty if unknown. */
  recordedIn: string
  /** Month of the last renewal, YYYY-MM; empty if there was none. */
  period: string
  /** The newest months that have begun with a renewal, oldest first. */
  months: readonly string[]
  /** Credits that this period's renewals gave. */
  renewed: number
  /** How often credits were added, by grants and renewals. */
  fillings: number
  /** By job id. */
  openDebits: ReadonlyMap<string, OpenDebit>
  /** Credits set aside, by batch id. */
  holds: ReadonlyMap<string, Hold>
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
  fillings: 0,
  openDebits: new Map(),
  holds: new Map(),
  spending: { period: '', byKey: new Map() },
  unstated: 0,
}

/** The credits in the open debits and holds that `isAsked` accepts. Without it, in all of them. */
export function heldIn(
  { openDebits, holds }: Pick<Ledger, 'openDebits' | 'holds'>,
  isAsked = (_: Pick<Hold, 'keyId' | 'period'>): boolean => true,
): number {
  let held = 0
  for (const debit of openDebits.values()) if (isAsked(debit)) held += debit.credits
  for (const hold of holds.values()) if (isAsked(hold)) held += hold.credits
  return held
}

/** A ledger that its owner is still folding, and may change. */
export type LedgerDraft = Omit<Ledger, 'openDebits' | 'holds' | 'spending'> & {
  openDebits: SharedMap<string, OpenDebit>
  holds: Map<string, Hold>
  spending: { period: string; byKey: Map<string, number> }
}

/** A copy of a ledger to fold events into. It does not copy thousands of open debits for each append. */
export const draftOf = (ledger: Ledger): LedgerDraft => ({
  ...ledger,
  openDebits: new SharedMap(ledger.openDebits),
  holds: new Map(ledger.holds),
  spending: { ...ledger.spending, byKey: new Map(ledger.spending.byKey) },
})

/** Folds one more event into a draft. */
export function apply(draft: LedgerDraft, event: DatedEvent): void {
  draft.exists = true
  if (event.recordedAt !== undefined) draft.recordedIn = periodOf(event.recordedAt)
  draft.unstated += 1
  switch (event.type) {
    case 'CreditsGranted':
      draft.fillings += 1
      draft.balance += event.data.credits
      return
    case 'PlanChanged':
      draft.plan = event.data.plan
      return
    case 'CreditsRenewed': {
      const { period, credits, expired } = event.data
      if (period !== draft.period) begin(draft, period)
      if (credits > 0) draft.fillings += 1
      draft.renewed += credits
      draft.balance += credits - expired
      return
    }
    case 'CreditsHeld': {
      const { batchId, ...hold } = event.data
      draft.holds.set(batchId, { ...hold, lapsed: false })
      draft.balance -= hold.credits
      spend(draft.spending, hold)
      return
    }
    case 'CreditsReleased': {
      const { batchId, credits } = event.data
      giveBack(draft.spending, draft.holds.get(batchId), credits)
      draft.holds.delete(batchId)
      draft.balance += credits
      return
    }
    case 'CreditsDebited':
      debit(draft, event.data)
      return
    case 'CreditsSettled':
      settle(draft, event.data)
      return
    case 'CreditsStated': {
      const { openDebits, holds, spending, ...stated } = event.data
      const debits = openDebits.map(({ jobId, ...debit }) => [jobId, debit] as const)
      const byKey = new Map(spending.keys.map(({ keyId, credits }) => [keyId, credits]))
      Object.assign(draft, stated, {
        openDebits: new SharedMap(new Map(debits)),
        holds: new Map(holds.map(({ batchId, ...hold }) => [batchId, hold])),
        spending: { period: spending.period, byKey },
        unstated: 0,
      })
    }
  }
}

/** A debit of a batch is taken out of its hold. The hold was taken from the balance and counts for the key already. */
function debit(draft: LedgerDraft, { jobId, ...data }: EventData['CreditsDebited']): void {
  const hold = draft.holds.get(data.batch?.batchId ?? '')
  draft.openDebits.set(jobId, { ...data, lapsed: hold?.lapsed ?? false })
  if (hold !== undefined) {
    changeHold(draft, data, -data.credits)
    return
  }
  draft.balance -= data.credits
  spend(draft.spending, data)
}

/** Refunds of a batch return into its hold, while it exists. */
function settle(draft: LedgerDraft, { jobId, refunded }: EventData['CreditsSettled']): void {
  const open = draft.openDebits.get(jobId)
  draft.openDebits.delete(jobId)
  if (open !== undefined && changeHold(draft, open, refunded)) return
  giveBack(draft.spending, open, refunded)
  draft.balance += refunded
}

/** @returns whether the hold exists */
function changeHold(draft: LedgerDraft, { batch }: Pick<Purpose, 'batch'>, credits: number): boolean {
  const hold = batch === null ? undefined : draft.holds.get(batch.batchId)
  if (batch === null || hold === undefined) return false
  draft.holds.set(batch.batchId, { ...hold, credits: hold.credits + credits })
  return true
}

/** Begins a month. If the last month gave credits, those of open debits and holds have expired with it. */
function begin(draft: LedgerDraft, period: string): void {
  if (draft.renewed > 0) {
    for (const [jobId, debit] of [...draft.openDebits]) draft.openDebits.set(jobId, { ...debit, lapsed: true })
    for (const [batchId, hold] of [...draft.holds]) draft.holds.set(batchId, { ...hold, lapsed: true })
  }
  draft.period = period
  draft.months = withMonth(draft.months, period)
  draft.renewed = 0
}

type Spent = Pick<Hold, 'keyId' | 'period' | 'credits'>

/** A key's month begins with its first debit or hold. */
function spend(spending: LedgerDraft['spending'], { keyId, period, credits }: Spent): void {
  if (keyId === null || period < spending.period) return
  if (period > spending.period) spending.byKey.clear()
  spending.period = period
  spending.byKey.set(keyId, (spending.byKey.get(keyId) ?? 0) + credits)
}

/** If credits return in the month in which they were taken, the same key may spend them again. */
function giveBack({ period, byKey }: LedgerDraft['spending'], debit: Spent | undefined, refunded: number): void {
  if (debit === undefined || debit.keyId === null || debit.period !== period) return
  byKey.set(debit.keyId, (byKey.get(debit.keyId) ?? 0) - refunded)
}
