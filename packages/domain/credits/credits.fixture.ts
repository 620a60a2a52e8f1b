import { expect } from 'chai'
import { type Credits, type CreditsCommand, credits, decideTogether, evolveAll } from './credits.ts'
import type { CreditsEvent } from './ledger.ts'
import type { Plan } from './plans.ts'

export const HASH = 'a'.repeat(64)

export const granted = (credits: number, reason: 'sign_up' | 'adjustment' = 'sign_up'): CreditsEvent => ({
  type: 'CreditsGranted',
  data: { credits, reason },
})
export const planChanged = (plan: Plan): CreditsEvent => ({ type: 'PlanChanged', data: { plan } })
export const renewed = (period: string, credits: number, expired: number): CreditsEvent => ({
  type: 'CreditsRenewed',
  data: { period, credits, expired },
})
export const debited = (jobId: string, credits: number): CreditsEvent => ({
  type: 'CreditsDebited',
  data: { jobId, credits, operation: 'transcript', requestHash: HASH },
})
export const settled = (jobId: string, charged: number, refunded: number, reason: string): CreditsEvent => ({
  type: 'CreditsSettled',
  data: { jobId, charged, refunded, reason },
})
export const debit = (jobId: string, full: number, least = full): CreditsCommand => ({
  type: 'debit',
  jobId,
  kind: 'transcript',
  full,
  least,
  requestHash: HASH,
})
export const settle = (jobId: string, charged: number, reason = 'completed'): CreditsCommand => ({
  type: 'settle',
  jobId,
  charged,
  reason,
})
export const changePlan = (plan: Plan): CreditsCommand => ({ type: 'change-plan', plan })

/** The middle of a month, YYYY-MM; milliseconds since 1970. */
export const middleOf = (period: string): number => Date.parse(`${period}-15`)

/** The credits folded from these events, which have no recorded time. */
export const given = (...events: CreditsEvent[]) => givenState(evolveAll(credits.initialState, events))

export const givenState = (state: Credits) => ({
  when(period: string, ...commands: CreditsCommand[]) {
    const now = middleOf(period)
    const { events: decided, outcomes, owners, after } = decideTogether(commands, state, now)
    expect(after, 'the state that is returned, folded from the events').to.deep.equal(evolveAll(state, decided))
    const [command, ...others] = commands
    if (command !== undefined && others.length === 0)
      expect(credits.decide({ ...command, now }, state), 'alone').to.deep.equal(decided)
    return { decided, outcomes, owners, after: after.ledger, state: after }
  },
})
