import { createHash, randomBytes } from 'node:crypto'
import type { Response } from 'express'
import type { Plan } from '#packages/domain/credits/plans.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { Query } from '#packages/foundation/validation/query.ts'
import { lightRequestsOf } from '#packages/platforms/lookups/light-requests.ts'
import type { Clock } from '#packages/ports/clock.ts'
import {
  RATE_WINDOW_SECONDS,
  type RateCount,
  type RateCounter,
  type RateCounters,
} from '#packages/ports/rate-counters.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { IngressOptions } from '../options.ts'
import { callerOf, contextOf } from '../requests/request-context.ts'

type Ports = {
  clock: Clock
  planOf: (orgId: string) => Promise<Plan>
  counters: RateCounters
  /** Counters of this process alone. */
  localCounters: RateCounters
  telemetry: Telemetry
  log: Logger
}

type Options = Pick<IngressOptions, 'rates' | 'anonymousPerMinute' | 'clientAddressHeader'>

/** A count against one limit. `limit`: its maximum. */
type Counted = RateCount & { name: LimitName; limit: number }

/** `exchanges`: requests to mounted surfaces, before their content is known. */
type LimitName = 'light' | 'polls' | 'heavy' | 'exchanges' | AnonymousLimit

/** The limits for requests without a known key or session. Sign-in requests have their own. */
type AnonymousLimit = 'anonymous' | 'sign_in'

/** Counts a request against a limit of its caller. @throws ServiceError rate_limited */
export type Limit = (response: Response) => Promise<void>

const REMAINING = 'X-RateLimit-Remaining'

/** The header of draft-ietf-httpapi-ratelimit-headers-10, as structured fields (RFC 9651): `"light";r=119;t=42`. */
const STANDING = 'RateLimit'

/** How many requests each organization may make, by tier (ops/adr/0001, rate limits). */
export class RateLimits {
  readonly #ports: Ports
  readonly #options: Options
  readonly #counters: Record<LimitName, RateCounter>
  readonly #salt = randomBytes(16)
  #advised = false

  constructor(ports: Ports, options: Options) {
    this.#ports = ports
    this.#options = options
    const { counters, localCounters } = ports
    this.#counters = {
      light: counters('light'),
      polls: counters('polls'),
      heavy: counters('heavy'),
      exchanges: counters('exchanges'),
      // Counts in this process alone, because anonymous requests must not cause writes to a database.
      anonymous: localCounters('anonymous'),
      sign_in: localCounters('sign_in'),
    }
  }

  readonly light: Limit = (response) => this.lightRequests(1, response)

  /** A YouTube list counts as one request for each 30 videos that it may have. */
  readonly lists: Limit = (response) => this.lightRequests(lightRequestsOf(new Query(response.req.url)), response)

  /** Counts this many requests of the light tier at once. @throws ServiceError rate_limited */
  async lightRequests(requests: number, response: Response): Promise<void> {
    const { light } = this.#options.rates
    const count = await this.#counters.light.count(callerOf(response).orgId, light, requests)
    this.#tell({ ...count, name: 'light', limit: light }, response)
  }

  /**
   * Limits requests to mounted surfaces before their bodies are read, with the limit of polls. The messages in them are
   * counted afterwards. The answers show this limit in their headers only once it is reached.
   */
  readonly exchanges: Limit = async (response) => {
    const { polls } = this.#options.rates
    const count = await this.#counters.exchanges.count(callerOf(response).orgId, polls)
    if (count.counted > polls) this.#tell({ ...count, name: 'exchanges', limit: polls }, response)
  }

  readonly polls: Limit = async (response) => {
    const { polls: limit } = this.#options.rates
    const count = await this.#counters.polls.count(callerOf(response).orgId, limit)
    this.#tell({ ...count, name: 'polls', limit }, response)
  }

  readonly heavy: Limit = async (response) => {
    const { orgId } = callerOf(response)
    const limit = this.#options.rates.heavy[await this.#ports.planOf(orgId)]
    this.#tell({ ...(await this.#counters.heavy.count(orgId, limit)), name: 'heavy', limit }, response)
  }

  /**
   * Gives a heavy request back that was refused for lack of credits, and counts a light one instead, because a refusal
   * costs something too. If no light one is left, the heavy one stays used up.
   */
  async giveHeavyBack(response: Response): Promise<void> {
    if (!(await this.giveHeavyBackTo(callerOf(response).orgId))) return
    const { headers } = contextOf(response)
    const change = (name: string, more: (value: string) => string): void => {
      const at = headers.indexOf(name) + 1
      headers[at] = more(headers[at] ?? '')
    }
    change(REMAINING, (left) => String(Number(left) + 1))
    change(STANDING, (standing) => standing.replace(/;r=(\d+)/, (_, left) => `;r=${Number(left) + 1}`))
  }

  /**
   * Gives back a person's heavy request on a page, and counts a light one instead.
   * @returns true if it was given back
   */
  async giveHeavyBackTo(orgId: string): Promise<boolean> {
    const { light } = this.#options.rates
    if ((await this.#counters.light.count(orgId, light)).counted > light) return false
    await this.#counters.heavy.giveBack(orgId)
    return true
  }

  /**
   * Counts a person's request on a page like the same request to the API.
   * @param whose the organization of the page, or else the account
   * @throws ServiceError rate_limited
   */
  async ofPages(tier: 'light' | 'heavy', whose: string): Promise<void> {
    const { light, heavy } = this.#options.rates
    const limit = tier === 'light' ? light : heavy[await this.#ports.planOf(whose)]
    const count = await this.#counters[tier].count(whose, limit)
    if (count.counted > limit) throw this.#refused(tier, count.endsInMs)
  }

  /**
   * Counts a request without a known key or session against its remote address.
   * @throws ServiceError rate_limited: there were too many
   */
  async anonymous(name: AnonymousLimit, response: Response): Promise<void> {
    // Addresses share 65,536 counters, so that an attacker with many addresses cannot fill the memory. The salt keeps
    // secret which addresses share one. Otherwise an attacker could choose an address that uses up the limit of a
    // certain other one.
    const slot = createHash('sha256').update(this.#salt).update(contextOf(response).address).digest('hex').slice(0, 4)
    const limit = this.#options.anonymousPerMinute
    const count = await this.#counters[name].count(slot, limit)
    if (count.counted <= limit) return
    this.#advise()
    this.#tell({ ...count, name, limit }, response)
  }

  /** Logs advice: behind an undeclared proxy, one caller's anonymous requests use up the limit of all. */
  #advise(): void {
    if (this.#advised || this.#options.clientAddressHeader !== undefined) return
    this.#advised = true
    const what = 'requests without a key are refused: one address sends too many'
    this.#ports.log.warn(`${what}. If it is that of your proxy, set CLIENT_ADDRESS_HEADER`)
  }

  /** Adds the headers with the requests that are left. @throws ServiceError rate_limited: there were too many */
  #tell({ counted, endsInMs, name, limit }: Counted, response: Response): void {
    const { headers } = contextOf(response)
    const reset = Math.ceil((this.#ports.clock.now() + endsInMs) / 1000)
    const remaining = Math.max(0, limit - counted)
    headers.push('X-RateLimit-Limit', String(limit), REMAINING, String(remaining))
    headers.push('X-RateLimit-Reset', String(reset))
    headers.push('RateLimit-Policy', `"${name}";q=${limit};w=${RATE_WINDOW_SECONDS}`)
    headers.push(STANDING, `"${name}";r=${remaining};t=${Math.ceil(endsInMs / 1000)}`)
    if (counted > limit) throw this.#refused(name, endsInMs)
  }

  #refused(name: LimitName, endsInMs: number): ServiceError {
    this.#ports.telemetry.add(metrics.requestsLimited, 1, { [names.limit]: name })
    return new ServiceError('rate_limited', 'Too many requests; wait until the time in X-RateLimit-Reset.', {
      retryAfterSeconds: Math.max(1, Math.ceil(endsInMs / 1000)),
    })
  }
}
