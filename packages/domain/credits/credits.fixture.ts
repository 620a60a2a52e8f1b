import { expect } from 'chai'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { type CreditsCommand, credits, decideTogether, evolveAll, inMonthOf } from './credits.ts'
import type { CreditsEvent, Ledger } from './ledger.ts'
import type { Plan } from './plans.ts'

/** The purpose of the debits here. */
export const purpose = { operation: 'transcript', mode: 'auto', platform: 'direct', keyId: null, batch: null } as const

export const HASH = 'a'.repeat(64)

export const granted = (credits: number, reason: 'sign_up' | 'adjustment' = 'sign_up'): CreditsEvent => ({
  type: 'CreditsGranted',
  data: { credits, reason, by: 'command' },
})
export const planChanged = (plan: Plan): CreditsEvent => ({ type: 'PlanChanged', data: { plan, by: 'command' } })
export const renewed = (period: string, credits: number, expired: number): CreditsEvent => ({
  type: 'CreditsRenewed',
  data: { period, credits, expired },
})
/** @param period the month in which the debit counts for its key */
export const debited = (jobId: string, credits: number, period = '2026-01'): DomainEvent<'CreditsDebited'> => ({
  type: 'CreditsDebited',
  data: { jobId, credits, requestHash: HASH, ...purpose, period },
})
export const settled = (
  jobId: string,
  charged: number,
  refunded: number,
  reason: string,
): DomainEvent<'CreditsSettled'> => ({
  type: 'CreditsSettled',
  data: { jobId, charged, refunded, reason, ...purpose },
})
type Debit = Extract<CreditsCommand, { type: 'debit' }>
export const debit = (jobId: string, full: number, least = full, more: Partial<Debit> = {}): CreditsCommand => ({
  type: 'debit',
  jobId,
  full,
  least,
  requestHash: HASH,
  purpose,
  monthlyCredits: null,
  ...more,
})
export const settle = (jobId: string, charged: number, reason = 'completed'): CreditsCommand => ({
  type: 'settle',
  jobId,
  charged,
  reason,
})
export const register: CreditsCommand = { type: 'register', by: 'command' }
export const grant = (credits: number): CreditsCommand => ({ type: 'grant', credits, by: 'command' })
export const changePlan = (plan: Plan): CreditsCommand => ({ type: 'change-plan', plan, by: 'command' })

/** The middle of a month, YYYY-MM; milliseconds since 1970. */
export const middleOf = (period: string): number => Date.parse(`${period}-15`)

/** The ledger folded from these events, which have no recorded time. */
export const given = (...events: CreditsEvent[]) => givenState(evolveAll(credits.initialState, events))

/** `when` decides commands on this ledger, with its newest event in that month. */
export const givenState = (ledger: Ledger) => ({
  when(period: string, ...commands: CreditsCommand[]) {
    const state = inMonthOf(ledger, middleOf(period))
    const { events: decided, outcomes, owners, after } = decideTogether(commands, state)
    expect(after, 'the state that is returned, folded from the events').to.deep.equal(evolveAll(state, decided))
    const [command, ...others] = commands
    if (command !== undefined && others.length === 0)
      expect(credits.decide(command, state), 'alone').to.deep.equal(decided)
    return { decided, outcomes, owners, after }
  },
})

/** A hold for a batch, and a debit out of it. */
export const hold = (batchId: string, credits: number, keyId: string | null = null): CreditsCommand => ({
  type: 'hold',
  batchId,
  credits,
  keyId,
  requestHash: HASH,
  monthlyCredits: null,
})
export const release = (batchId: string): CreditsCommand => ({ type: 'release', batchId })
export const debitOfBatch = (batchId: string, jobId: string, credits: number): CreditsCommand =>
  debit(jobId, credits, credits, { purpose: { ...purpose, batch: { batchId, item: 0, isTold: false } } })

/** A debit as a statement has it, and the statement of a ledger without a month. */
export const openDebit = (jobId: string, credits: number, period: string) => {
  return { jobId, credits, requestHash: HASH, ...purpose, period, lapsed: false }
}
export const stated = (data: Partial<DomainEvent<'CreditsStated'>['data']>): DomainEvent<'CreditsStated'> => {
  const unused = { months: [], renewed: 0, fillings: 1, openDebits: [], holds: [], spending: { period: '', keys: [] } }
  return { type: 'CreditsStated', data: { balance: 0, plan: 'free', period: '', ...unused, ...data } }
}
