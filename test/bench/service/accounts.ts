import { credits } from '#packages/domain/credits/credits.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { Customer } from './customers.ts'
import type { Account } from './past-jobs.ts'

/** The credits of customers, read from their streams. */
export const accountsOf = (store: EventStore, customers: readonly Customer[]): Promise<Account[]> =>
  Promise.all(
    customers.map(async ({ orgId }) => {
      const events = await store.read(streams.credits(orgId))
      return { orgId, credits: fold(credits, events), revision: events.length - 1 }
    }),
  )
