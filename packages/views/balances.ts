import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Projection } from './projection.ts'

/** One organization in the list for operators. Nothing is decided by it: the ledger decides. */
export type BalanceDocument = {
  name: string | null
  plan: 'free' | 'starter' | 'pro'
  /** Credits left after the last event, without a renewal that is due. */
  balance: number
}

const prefixes = ['credits-', 'organization-']

const nothingYet: BalanceDocument = { name: null, plan: 'free', balance: 0 }

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
  if (event.type === 'OrganizationRegistered') return { ...current, name: event.data.name }
  if (event.type === 'PlanChanged') return { ...current, plan: event.data.plan }
  return { ...current, balance: current.balance + creditsOf(event) }
}

export const balances: Projection<BalanceDocument> = {
  name: 'balances',
  prefixes,
  collection: {},
  changeOf(event) {
    const id = organizationOf(event)
    return id === undefined ? undefined : { id, next: (current = nothingYet) => after(event, current) }
  },
}
