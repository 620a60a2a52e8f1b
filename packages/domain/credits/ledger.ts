import type { DomainEvent } from '../event.ts'
import type { Plan } from './plans.ts'

export type LedgerEvent = DomainEvent<
  'CreditsGranted' | 'PlanChanged' | 'CreditsRenewed' | 'CreditsDebited' | 'CreditsSettled' | 'CreditsStated'
>

export type OpenDebit = { credits: number; requestHash: string }

/** The credits of one organization, folded from its stream. */
export type Ledger = {
  /** False until something was granted: the organization does not exist. */
  exists: boolean
  /** Credits left, debits in flight already taken. */
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

/** The ledger after one more event. */
export function evolve(ledger: Ledger, event: LedgerEvent): Ledger {
  const next = { ...ledger, exists: true, unstated: ledger.unstated + 1 }
  switch (event.type) {
    case 'CreditsGranted':
      return { ...next, balance: ledger.balance + event.data.credits }
    case 'PlanChanged':
      return { ...next, plan: event.data.plan }
    case 'CreditsRenewed': {
      const { period, credits, expired } = event.data
      const renewed = period > ledger.period ? credits : ledger.renewed + credits
      return { ...next, period, renewed, balance: ledger.balance + credits - expired }
    }
    case 'CreditsDebited': {
      const { jobId, credits, requestHash } = event.data
      const openDebits = new Map(ledger.openDebits).set(jobId, { credits, requestHash })
      return { ...next, openDebits, balance: ledger.balance - credits }
    }
    case 'CreditsSettled': {
      const openDebits = new Map(ledger.openDebits)
      openDebits.delete(event.data.jobId)
      return { ...next, openDebits, balance: ledger.balance + event.data.refunded }
    }
    case 'CreditsStated': {
      const { balance, plan, period, renewed, openDebits } = event.data
      const debits = openDebits.map(({ jobId, credits, requestHash }) => [jobId, { credits, requestHash }] as const)
      return { exists: true, balance, plan, period, renewed, openDebits: new Map(debits), unstated: 0 }
    }
  }
}
