import { evolve, initialLedger, type LedgerEvent } from '#packages/domain/credits/ledger.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { Customer } from './customers.ts'
import type { Account } from './past-jobs.ts'

/** The ledgers of customers as their streams have them. */
export const accountsOf = (store: EventStore, customers: readonly Customer[]): Promise<Account[]> =>
  Promise.all(
    customers.map(async ({ orgId }) => {
      const events = await store.read(streams.credits(orgId))
      const ledger = events.reduce((state, event) => evolve(state, event as LedgerEvent), initialLedger)
      return { orgId, ledger, revision: events.length - 1 }
    }),
  )
