import type { Organization } from '#contracts/generated/http.ts'
import type { Plan } from '#packages/domain/credits/plans.ts'
import { organization } from '#packages/domain/organization/organization.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { Ledgers } from '#packages/ledger/ledgers.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { TtlCache } from '#packages/work/ttl-cache.ts'

export type AccountsPorts = { store: EventStore; ledgers: Ledgers; clock: Clock }

export type AccountsOptions = {
  /** Most names, and most plans, in memory. */
  cachedEntries: number
  /** How old a plan may be, milliseconds. */
  staleAfterMs: number
}

/** How long a name is cached, milliseconds. Names never change. */
const NAME_TTL_MS = 24 * 60 * 60 * 1000

/** An organization's own view of itself, and the plan that sets its limits. */
export class Accounts {
  readonly #ledgers: Ledgers
  readonly #plans: TtlCache<Plan>
  readonly #names: TtlCache<string>

  constructor({ store, ledgers, clock }: AccountsPorts, { cachedEntries: maxEntries, staleAfterMs }: AccountsOptions) {
    this.#ledgers = ledgers
    const planOf = async (orgId: string): Promise<Plan> => (await ledgers.current(orgId)).plan
    this.#plans = new TtlCache(clock, planOf, { ttlMs: staleAfterMs, maxEntries })
    this.#names = new TtlCache(clock, (orgId) => nameOf(store, orgId), { ttlMs: NAME_TTL_MS, maxEntries })
  }

  /** The plan, at most `staleAfterMs` old. */
  planOf(orgId: string): Promise<Plan> {
    return this.#plans.get(orgId)
  }

  /** The balance is folded from the events of the ledger, never read from a view. */
  async show(orgId: string): Promise<Organization> {
    const [{ balance }, name] = await Promise.all([this.#ledgers.current(orgId), this.#names.get(orgId)])
    return { orgId, name, creditsRemaining: balance }
  }
}

async function nameOf(store: EventStore, orgId: string): Promise<string> {
  const found = fold(organization, await store.read(streams.organization(orgId)))
  if (found.status === 'none') throw new Error(`organization ${orgId} has a key and is not registered`)
  return found.name
}
