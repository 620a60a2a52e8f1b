import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { Organizations } from '#packages/accounts/organizations/organizations.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import type { EventStore } from '#packages/ports/event-store.ts'

/** An organization and the secret of its key. */
export type Customer = { orgId: string; key: string }

/** More credits than any run can use. */
const CREDITS = 1_000_000_000

/** Organizations on the plan Pro that never run out of credits. */
export async function createCustomers(store: EventStore, count: number): Promise<Customer[]> {
  const ports = { store, clock, ids }
  const organizations = new Organizations({ ...ports, ledgers: new Ledgers(ports) })
  const create = async (_: unknown, index: number): Promise<Customer> => {
    const { orgId, key } = await organizations.create(`Customer ${index}`, 'pro')
    await organizations.grant(orgId, CREDITS)
    return { orgId, key }
  }
  return Promise.all(Array.from({ length: count }, create))
}
