import { createHash } from 'node:crypto'
import type { RequestHandler, Response } from 'express'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { Plan } from '#packages/domain/credits/plans.ts'
import { ServiceError } from '#packages/errors/service-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { IngressOptions } from './options.ts'
import { callerOf, visitOf } from './visit.ts'

/** Windows of a minute from the first request. The limit is applied here: it may change within a window, with the plan. */
const counter = (): RateLimiterMemory => new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: 60 })

type Ports = { clock: Clock; planOf: (orgId: string) => Promise<Plan> }

/** How many requests each organization may make, by tier (DECISIONS, rate limits). */
export class RateLimits {
  readonly #ports: Ports
  readonly #options: Pick<IngressOptions, 'rates' | 'wrongKeysPerMinute'>
  readonly #counters = { light: counter(), polls: counter(), heavy: counter(), wrongKeys: counter() }

  constructor(ports: Ports, options: Pick<IngressOptions, 'rates' | 'wrongKeysPerMinute'>) {
    this.#ports = ports
    this.#options = options
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
    const { consumedPoints } = await this.#counters.wrongKeys.consume(slot)
    if (consumedPoints <= limit) return
    await this.#count(this.#counters.wrongKeys, slot, limit, response)
  }

  async #count(tier: RateLimiterMemory, key: string, limit: number, response: Response): Promise<void> {
    const { consumedPoints, msBeforeNext } = await tier.consume(key)
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
