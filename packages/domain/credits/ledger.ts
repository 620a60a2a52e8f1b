import type { DomainEvent } from '../event.ts'
import type { Plan } from './plans.ts'

export type CreditsEvent = DomainEvent<
  'CreditsGranted' | 'PlanChanged' | 'CreditsRenewed' | 'CreditsDebited' | 'CreditsSettled' | 'CreditsStated'
>

export type OpenDebit = { credits: number; requestHash: string }

/** The ledger of one organization, folded from its events. */
export type Ledger = {
  /** False until something was granted: the organization does not exist. */
  exists: boolean
  /** The number of credits left. Open debits are already subtracted. */
  balance: number
  plan: Plan
  /** Month of the last renewal, YYYY-MM; empty when there was none. */
  period: string
  /** What this period's renewals gave, in credits. */
  renewed: number
  /** By job id. */
  openDebits: ReadonlyMap<string, OpenDebit>
  /** Events since the last CreditsStated. */
  unstated: number
}

export const initialLedger: Ledger = {
  exists: false,
  balance: 0,
  plan: 'free',
  period: '',
  renewed: 0,
  openDebits: new Map(),
  unstated: 0,
}

/** A ledger that its owner is still folding, and may change. */
export type LedgerDraft = Omit<Ledger, 'openDebits'> & { openDebits: Map<string, OpenDebit> }

/** A copy of a ledger to fold events into. */
export const draftOf = (ledger: Ledger): LedgerDraft => ({ ...ledger, openDebits: new Map(ledger.openDebits) })

/** Folds one more event into a draft. */
export function apply(draft: LedgerDraft, event: CreditsEvent): void {
  draft.exists = true
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
      draft.renewed = period === draft.period ? draft.renewed + credits : credits
      draft.period = period
      draft.balance += credits - expired
      return
    }
    case 'CreditsDebited': {
      const { jobId, credits, requestHash } = event.data
      draft.openDebits.set(jobId, { credits, requestHash })
      draft.balance -= credits
      return
    }
    case 'CreditsSettled':
      draft.openDebits.delete(event.data.jobId)
      draft.balance += event.data.refunded
      return
    case 'CreditsStated': {
      const { openDebits, ...stated } = event.data
      const debits = openDebits.map(({ jobId, credits, requestHash }) => [jobId, { credits, requestHash }] as const)
      Object.assign(draft, stated, { openDebits: new Map(debits), unstated: 0 })
    }
  }
}
