import { expect } from 'chai'
import { decide, type LedgerCommand } from './decide.ts'
import { evolve, type LedgerEvent } from './ledger.ts'
import { evolveInTime, initialInTime } from './months.ts'
import type { Plan } from './plans.ts'

export const HASH = 'a'.repeat(64)

export const granted = (credits: number, reason: 'sign_up' | 'adjustment' = 'sign_up'): LedgerEvent => ({
  type: 'CreditsGranted',
  data: { credits, reason },
})
export const planChanged = (plan: Plan): LedgerEvent => ({ type: 'PlanChanged', data: { plan } })
export const renewed = (period: string, credits: number, expired: number): LedgerEvent => ({
  type: 'CreditsRenewed',
  data: { period, credits, expired },
})
export const debited = (jobId: string, credits: number): LedgerEvent => ({
  type: 'CreditsDebited',
  data: { jobId, credits, operation: 'transcript', requestHash: HASH },
})
export const settled = (jobId: string, charged: number, refunded: number, reason: string): LedgerEvent => ({
  type: 'CreditsSettled',
  data: { jobId, charged, refunded, reason },
})
export const debit = (jobId: string, full: number, least = full): LedgerCommand => ({
  type: 'debit',
  jobId,
  operation: 'transcript',
  full,
  least,
  requestHash: HASH,
})
export const settle = (jobId: string, charged: number, reason = 'completed'): LedgerCommand => ({
  type: 'settle',
  jobId,
  charged,
  reason,
})
export const changePlan = (plan: Plan): LedgerCommand => ({ type: 'change-plan', plan })

export const given = (...events: LedgerEvent[]) => {
  const { ledger, months } = evolveInTime(initialInTime, events)
  return {
    when: (period: string, ...commands: LedgerCommand[]) => {
      const moment = { period, months, isBehind: false }
      const { events: decided, outcomes, eventOwners, after } = decide(commands, ledger, moment)
      expect(after, 'the ledger it returns is what its events make of it').to.deep.equal(decided.reduce(evolve, ledger))
      return { decided, outcomes, eventOwners, after }
    },
  }
}
