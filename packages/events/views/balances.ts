import type { StoredEvent } from '#packages/ports/event-store.ts'
import { goneWith, type Projection } from './projection.ts'

/** One organization in the list for operators. No decision uses it: the ledger decides. */
export type BalanceDocument = {
  name: string | null
  plan: 'free' | 'starter' | 'pro'
  /** Credits left after the last event, without a due renewal. */
  balance: number
  /** Batches with held credits. The owner of the batches begins with these. */
  holds: readonly string[]
  hasHolds: 'yes' | 'no'
  /** Milliseconds since 1970, like the next field. Missing if it is not registered yet: then it is on no page. */
  registeredAt?: number
  /** When its credits last changed. */
  changedAt: number
}

const prefixes = ['credits-', 'organization-']

const nothingYet: BalanceDocument = {
  name: null,
  plan: 'free',
  balance: 0,
  holds: [],
  hasHolds: 'no',
  changedAt: 0,
}

function organizationOf({ stream }: StoredEvent): string | undefined {
  const prefix = prefixes.find((each) => stream.startsWith(each))
  return prefix && stream.slice(prefix.length)
}

/** By how many credits an event changes the balance. Credits that leave or return into a hold do not change it. */
function creditsOf(event: StoredEvent, holds: readonly string[]): number {
  switch (event.type) {
    case 'CreditsGranted':
      return event.data.credits
    case 'CreditsRenewed':
      return event.data.credits - event.data.expired
    case 'CreditsHeld':
      return -event.data.credits
    case 'CreditsReleased':
      return event.data.credits
    case 'CreditsDebited':
      return event.data.batch === null ? -event.data.credits : 0
    case 'CreditsSettled':
      return holds.includes(event.data.batch?.batchId ?? '') ? 0 : event.data.refunded
    default:
      return 0
  }
}

function holdsAfter(event: StoredEvent, holds: readonly string[]): readonly string[] {
  if (event.type === 'CreditsHeld') return [...holds, event.data.batchId]
  if (event.type === 'CreditsReleased') return holds.filter((each) => each !== event.data.batchId)
  return event.type === 'CreditsStated' ? event.data.holds.map(({ batchId }) => batchId) : holds
}

function after(event: StoredEvent, current: BalanceDocument): BalanceDocument {
  const { recordedAt } = event
  if (event.type === 'OrganizationRegistered')
    return { ...current, name: event.data.name, registeredAt: recordedAt, changedAt: recordedAt }
  if (event.type === 'OrganizationRenamed') return { ...current, name: event.data.name, changedAt: recordedAt }
  if (event.type === 'PlanChanged') return { ...current, plan: event.data.plan, changedAt: recordedAt }
  // A truncated ledger begins with a statement, which names its holds.
  const holds = holdsAfter(event, current.holds)
  const held = { holds, hasHolds: holds.length > 0 ? ('yes' as const) : ('no' as const), changedAt: recordedAt }
  if (event.type === 'CreditsStated') return { ...current, plan: event.data.plan, balance: event.data.balance, ...held }
  return { ...current, balance: current.balance + creditsOf(event, current.holds), ...held }
}

export const balances: Projection<BalanceDocument> = {
  name: 'balances',
  prefixes,
  collection: { findBy: ['hasHolds'], pages: [{ where: ['plan'], by: 'registeredAt' }] },
  changeOf(event) {
    const id = organizationOf(event)
    if (id === undefined) return undefined
    return {
      id,
      written: 'later',
      next(current = nothingYet) {
        return after(event, current)
      },
    }
  },
  // An organization's own stream is removed when it is closed. The owner of the batches needs their holds until the end.
  removedWith: goneWith('credits-', (id) => ({ id })),
}
