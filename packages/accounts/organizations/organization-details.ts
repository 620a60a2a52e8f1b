import type { Credits, Organization } from '#contracts/generated/http.ts'
import type { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { nextRenewal } from '#packages/domain/credits/credits.ts'
import { heldIn } from '#packages/domain/credits/ledger.ts'
import { startOf } from '#packages/domain/credits/months.ts'
import type { Plan } from '#packages/domain/credits/plans.ts'
import { organization } from '#packages/domain/organization/organization.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import { TtlCache } from '#packages/foundation/concurrency/ttl-cache.ts'
import { type Clock, isoOf } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'

export type OrganizationDetailsPorts = { store: EventStore; ledgers: Ledgers; clock: Clock }

export type OrganizationDetailsOptions = {
  /** Most names, and most plans, in memory. */
  cachedEntries: number
  /** The maximum age of a plan and a name, milliseconds. */
  staleAfterMs: number
}

/** An organization's own view of itself, and the plan that sets its limits. */
export class OrganizationDetails {
  readonly #ledgers: Ledgers
  readonly #staleAfterMs: number
  readonly #plans: TtlCache<Plan>
  readonly #names: TtlCache<string>

  constructor(
    { store, ledgers, clock }: OrganizationDetailsPorts,
    { cachedEntries: maxEntries, staleAfterMs }: OrganizationDetailsOptions,
  ) {
    this.#ledgers = ledgers
    const planOf = async (orgId: string): Promise<Plan> => (await ledgers.current(orgId)).plan
    this.#staleAfterMs = staleAfterMs
    this.#plans = new TtlCache(clock, planOf, { ttlMs: staleAfterMs, maxEntries })
    this.#names = new TtlCache(clock, (orgId) => nameOf(store, orgId), { ttlMs: staleAfterMs, maxEntries })
  }

  /** The plan, at most `staleAfterMs` old. Needs no read while this process writes to the ledger. */
  async planOf(orgId: string): Promise<Plan> {
    return this.#ledgers.knownPlan(orgId, this.#staleAfterMs) ?? this.#plans.get(orgId)
  }

  /** The name, at most `staleAfterMs` old. */
  nameOf(orgId: string): Promise<string> {
    return this.#names.get(orgId)
  }

  /** Call it after renaming the organization: its name is read again. */
  renamed(orgId: string): void {
    this.#names.delete(orgId)
  }

  /** The balance is folded from the events of the ledger, never read from a view. */
  async show(orgId: string): Promise<Organization> {
    const [{ balance }, name] = await Promise.all([this.#ledgers.current(orgId), this.#names.get(orgId)])
    return { orgId, name, creditsRemaining: balance }
  }

  /** The credits, from the events of the ledger. */
  async credits(orgId: string): Promise<Credits> {
    const ledger = await this.#ledgers.current(orgId)
    const { plan, period, renewed, balance } = ledger
    const next = nextRenewal(ledger)
    return {
      plan,
      // Credits that were granted without a month remain when a month ends.
      period: renewed > 0 ? period : null,
      available: balance,
      held: heldIn(ledger),
      renewal: next === undefined ? null : { at: isoOf(startOf(next.period)), credits: next.credits },
    }
  }
}

export async function nameOf(store: EventStore, orgId: string): Promise<string> {
  const found = fold(organization, await store.read(streams.organization(orgId)))
  if (found.status === 'none') throw new Error(`organization ${orgId} has a key and is not registered`)
  return found.name
}
