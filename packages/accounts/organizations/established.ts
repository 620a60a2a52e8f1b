import { organization } from '#packages/domain/organization/organization.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import { TtlCache } from '#packages/foundation/concurrency/ttl-cache.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const MAX_ENTRIES = 10_000

/** Whether an organization was registered more than a day ago. False for an unknown one. */
export function establishedIn(store: EventStore, clock: Clock): (orgId: string) => Promise<boolean> {
  const registeredAt = async (orgId: string): Promise<number> => {
    const found = fold(organization, await store.read(streams.organization(orgId)))
    return found.status === 'none' ? Number.POSITIVE_INFINITY : found.registeredAt
  }
  const known = new TtlCache(clock, registeredAt, { ttlMs: DAY_MS, maxEntries: MAX_ENTRIES })
  return async (orgId) => clock.now() - (await known.get(orgId)) > DAY_MS
}
