import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Projection } from './projection.ts'

/** One organization, as operators list it. Never decides anything: the ledger does. */
export type BalanceDocument = {
  name: string | null
  plan: 'free' | 'starter' | 'pro'
  /** Credits left at the last event; a renewal that is due is not in it. */
  balance: number
}

function organizationOf(event: StoredEvent): string | undefined {
  const [, orgId] = /^(?:credits|organization)-(.+)$/.exec(event.stream) ?? []
  return orgId
}

/** By how many credits an event changes the balance. */
function changeOf(event: StoredEvent): number {
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

export const balances: Projection<BalanceDocument> = {
  name: 'balances',
  prefixes: ['credits-', 'organization-'],
  documentIdOf: organizationOf,
  project(event, current) {
    const known = { name: current?.name ?? null, plan: current?.plan ?? 'free', balance: current?.balance ?? 0 }
    if (event.type === 'OrganizationRegistered') return { ...known, name: event.data.name }
    if (event.type === 'PlanChanged') return { ...known, plan: event.data.plan }
    return { ...known, balance: known.balance + changeOf(event) }
  },
}
