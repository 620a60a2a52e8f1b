import { createHash } from 'node:crypto'
import type { RequestHandler, Response } from 'express'
import type { Plan } from '#packages/domain/credits/plans.ts'
import { ServiceError } from '#packages/errors/service-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { IngressOptions } from './options.ts'
import { memoryCounters, type RateCounter, type RateCounters } from './rate-counter.ts'
import { callerOf, visitOf } from './visit.ts'

type Ports = {
  clock: Clock
  planOf: (orgId: string) => Promise<Plan>
  counters: RateCounters
}

/** How many requests each organization may make, by tier (DECISIONS, rate limits). */
export class RateLimits {
  readonly #ports: Ports
  readonly #options: Pick<IngressOptions, 'rates' | 'wrongKeysPerMinute'>
  readonly #counters: Record<'light' | 'polls' | 'heavy', RateCounter>
  /** Of this process: who tries keys is not to make it write. */
  readonly #wrongKeys = memoryCounters('wrong-keys')

  constructor(ports: Ports, options: Pick<IngressOptions, 'rates' | 'wrongKeysPerMinute'>) {
    this.#ports = ports
    this.#options = options
    const { counters } = ports
    this.#counters = { light: counters('light'), polls: counters('polls'), heavy: counters('heavy') }
  }

  readonly light: RequestHandler = async (_request, response, next) => {
    await this.#count(this.#counters.light, callerOf(response).orgId, this.#options.rates.light, response)
    next()
  }

  readonly polls: RequestHandler = async (_request, response, next) => {
    await this.#count(this.#counters.polls, callerOf(response).orgId, this.#options.rates.polls, response)
    next()
  }

  readonly heavy: RequestHandler = async (_request, response, next) => {
    const { orgId } = callerOf(response)
    const limit = this.#options.rates.heavy[await this.#ports.planOf(orgId)]
    await this.#count(this.#counters.heavy, orgId, limit, response)
    next()
  }

  /**
   * Counts a wrong key of a remote address.
   * @throws ServiceError rate_limited where there were too many
   */
  async wrongKey(address: string, response: Response): Promise<void> {
    // Some addresses share a count, so that an attacker with many of them does not fill the memory.
    const slot = createHash('sha256').update(address).digest('hex').slice(0, 4)
    const limit = this.#options.wrongKeysPerMinute
    const { consumedPoints } = await this.#wrongKeys(slot, limit)
    if (consumedPoints <= limit) return
    await this.#count(this.#wrongKeys, slot, limit, response)
  }

  async #count(count: RateCounter, key: string, limit: number, response: Response): Promise<void> {
    const { consumedPoints, msBeforeNext } = await count(key, limit)
    const reset = Math.ceil((this.#ports.clock.now() + msBeforeNext) / 1000)
    const remaining = Math.max(0, limit - consumedPoints)
    visitOf(response).headers.push('X-RateLimit-Limit', String(limit), 'X-RateLimit-Remaining', String(remaining))
    visitOf(response).headers.push('X-RateLimit-Reset', String(reset))
    if (consumedPoints <= limit) return
    throw new ServiceError('rate_limited', 'Too many requests; wait until the time in X-RateLimit-Reset.', {
      retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
    })
  }
}
