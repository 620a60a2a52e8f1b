import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { sha256 } from '#packages/ports/ids.ts'
import type { RateCounter, RateCounters } from '#packages/ports/rate-counters.ts'

/** A limit per minute, shared by all processes. The counter stores only hashes of the keys that it counts. */
export class PerMinute {
  readonly #counter: RateCounter
  readonly #limit: number

  constructor(counters: RateCounters, tier: string, limit: number) {
    this.#counter = counters(tier)
    this.#limit = limit
  }

  /** Counts one. @returns whether it is within the limit */
  async allows(key: string): Promise<boolean> {
    return (await this.#counter.count(sha256(key), this.#limit)).counted <= this.#limit
  }

  /** Counts one. @throws ServiceError rate_limited */
  async assert(key: string): Promise<void> {
    const { counted, endsInMs } = await this.#counter.count(sha256(key), this.#limit)
    if (counted <= this.#limit) return
    throw new ServiceError('rate_limited', 'Too many attempts; wait a minute, then try again.', {
      retryAfterSeconds: Math.max(1, Math.ceil(endsInMs / 1000)),
    })
  }

  /** Takes one back from the count. */
  giveBack(key: string): Promise<void> {
    return this.#counter.giveBack(sha256(key))
  }
}
