import type { StoredEvent } from '#packages/ports/event-store.ts'
import { goneWith, type Projection } from './projection.ts'

/** One organization in the list for operators. Nothing is decided by it: the ledger decides. */
export type BalanceDocument = {
  name: string | null
  plan: 'free' | 'starter' | 'pro'
  /** Credits left after the last event, without a renewal that is due. */
  balance: number
  /** Milliseconds since 1970, as the next; missing where it is not registered yet: then it is on no page. */
  registeredAt?: number
  /** When its credits last changed. */
  changedAt: number
}

const prefixes = ['credits-', 'organization-']

const nothingYet: BalanceDocument = { name: null, plan: 'free', balance: 0, changedAt: 0 }

function organizationOf({ stream }: StoredEvent): string | undefined {
  const prefix = prefixes.find((each) => stream.startsWith(each))
  return prefix && stream.slice(prefix.length)
}

/** By how many credits an event changes the balance. */
function creditsOf(event: StoredEvent): number {
  switch (event.type) {
    case 'CreditsGranted':
      return event.data.credits
    case 'CreditsRenewed':
      return event.data.credits - event.data.expired
    case 'CreditsDebited':
      return -event.data.credits
    case 'CreditsSettled':
      return event.data.refunded
    default:
      return 0
  }
}

function after(event: StoredEvent, current: BalanceDocument): BalanceDocument {
  const { recordedAt } = event
  if (event.type === 'OrganizationRegistered')
    return { ...current, name: event.data.name, registeredAt: recordedAt, changedAt: recordedAt }
  if (event.type === 'PlanChanged') return { ...current, plan: event.data.plan, changedAt: recordedAt }
  // A ledger whose beginning was given up begins with a statement.
  if (event.type === 'CreditsStated')
    return { ...current, plan: event.data.plan, balance: event.data.balance, changedAt: recordedAt }
  return { ...current, balance: current.balance + creditsOf(event), changedAt: recordedAt }
}

export const balances: Projection<BalanceDocument> = {
  name: 'balances',
  prefixes,
  collection: { pages: [{ where: ['plan'], by: 'registeredAt' }] },
  changeOf(event) {
    const id = organizationOf(event)
    return id === undefined
      ? undefined
      : { id, written: 'later', next: (current = nothingYet) => after(event, current) }
  },
  removedWith: goneWith('organization-', (id) => ({ id })),
}
