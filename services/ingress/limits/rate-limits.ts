import { createHash } from 'node:crypto'
import type { RequestHandler, Response } from 'express'
import type { Plan } from '#packages/domain/credits/plans.ts'
import { ServiceError } from '#packages/errors/service-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { RateCount, RateCounter, RateCounters } from '#packages/ports/rate-counters.ts'
import type { IngressOptions } from '../options.ts'
import { callerOf, visitOf } from '../requests/visit.ts'

type Ports = {
  clock: Clock
  planOf: (orgId: string) => Promise<Plan>
  counters: RateCounters
  /** Those of this process alone. */
  localCounters: RateCounters
}

/** How many requests each organization may make, by tier (ops/adr/0001, rate limits). */
export class RateLimits {
  readonly #ports: Ports
  readonly #options: Pick<IngressOptions, 'rates' | 'wrongKeysPerMinute'>
  readonly #counters: Record<'light' | 'polls' | 'heavy' | 'exchanges', RateCounter>
  /** Of this process: who tries keys is not to make it write. */
  readonly #wrongKeys: RateCounter

  constructor(ports: Ports, options: Pick<IngressOptions, 'rates' | 'wrongKeysPerMinute'>) {
    this.#ports = ports
    this.#options = options
    const { counters, localCounters } = ports
    this.#wrongKeys = localCounters('wrong-keys')
    this.#counters = {
      light: counters('light'),
      polls: counters('polls'),
      heavy: counters('heavy'),
      exchanges: counters('exchanges'),
    }
  }

  readonly light: RequestHandler = async (_request, response, next) => {
    await this.lightRequests(1, response)
    next()
  }

  /** Counts so many requests of the light tier at once. @throws ServiceError rate_limited */
  async lightRequests(requests: number, response: Response): Promise<void> {
    const { light } = this.#options.rates
    this.#tell(await this.#counters.light(callerOf(response).orgId, light, requests), light, response)
  }

  /**
   * Requests to surfaces whose messages are counted once they are read: as many may be read as polls, whatever they hold.
   * Nothing is told of this limit before it is reached.
   */
  readonly exchanges: RequestHandler = async (_request, response, next) => {
    const { polls } = this.#options.rates
    const count = await this.#counters.exchanges(callerOf(response).orgId, polls)
    if (count.counted > polls) this.#tell(count, polls, response)
    next()
  }

  readonly polls: RequestHandler = async (_request, response, next) => {
    const { polls: limit } = this.#options.rates
    this.#tell(await this.#counters.polls(callerOf(response).orgId, limit), limit, response)
    next()
  }

  readonly heavy: RequestHandler = async (_request, response, next) => {
    const { orgId } = callerOf(response)
    const limit = this.#options.rates.heavy[await this.#ports.planOf(orgId)]
    this.#tell(await this.#counters.heavy(orgId, limit), limit, response)
    next()
  }

  /**
   * Counts a wrong key of a remote address, or of those that count as one.
   * @throws ServiceError rate_limited where there were too many
   */
  async wrongKey(address: string, response: Response): Promise<void> {
    // Some addresses share a count, so that an attacker with many of them does not fill the memory.
    const slot = createHash('sha256').update(address).digest('hex').slice(0, 4)
    const limit = this.#options.wrongKeysPerMinute
    const count = await this.#wrongKeys(slot, limit)
    if (count.counted > limit) this.#tell(count, limit, response)
  }

  /** Tells the caller how many requests are left. @throws ServiceError rate_limited where these were too many */
  #tell({ counted, endsInMs }: RateCount, limit: number, response: Response): void {
    const reset = Math.ceil((this.#ports.clock.now() + endsInMs) / 1000)
    const remaining = Math.max(0, limit - counted)
    visitOf(response).headers.push('X-RateLimit-Limit', String(limit), 'X-RateLimit-Remaining', String(remaining))
    visitOf(response).headers.push('X-RateLimit-Reset', String(reset))
    if (counted <= limit) return
    throw new ServiceError('rate_limited', 'Too many requests; wait until the time in X-RateLimit-Reset.', {
      retryAfterSeconds: Math.max(1, Math.ceil(endsInMs / 1000)),
    })
  }
}
