import { RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible'
import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { memoryCounters, type RateCounter, type RateCounters, WINDOW_SECONDS } from './rate-counter.ts'

export type SharedCountersOptions = {
  /** A database of the client that `rate-limiter-flexible` knows as `mongodb`. */
  db: object
  clock: Clock
  log: Logger
  /** How long a request waits for its count, milliseconds. Default 500. */
  answerWithinMs?: number
}

/** After the database failed, this process counts for itself for so long, milliseconds. */
const INSURED_MS = 1000

const COLLECTION = 'rates'

class TooSlowError extends Error {
  readonly code = 'too_slow'
}

/**
 * Counters that all nodes share. Who is over its limit is refused from memory until its window ends, without a write.
 * Where the database does not answer, each node counts for itself: the limit is then that of each node.
 */
export async function openSharedCounters(options: SharedCountersOptions): Promise<RateCounters> {
  await limiterOf(options, 'indexes', 1).createIndexes()
  return (tier) => new SharedCounter(tier, options).consume
}

/** One for each limit of a tier: plans differ, and what they count is the same. */
const limiterOf = ({ db }: SharedCountersOptions, tier: string, limit: number): RateLimiterMongo =>
  new RateLimiterMongo({
    storeClient: db,
    tableName: COLLECTION,
    keyPrefix: tier,
    points: limit,
    duration: WINDOW_SECONDS,
    inMemoryBlockOnConsumed: limit + 1,
    // Made once, when they are opened.
    disableIndexesCreation: true,
  })

class SharedCounter {
  readonly #tier: string
  readonly #options: SharedCountersOptions
  readonly #limiters = new Map<number, RateLimiterMongo>()
  readonly #insurance = memoryCounters('insurance')
  #insuredUntil = 0

  constructor(tier: string, options: SharedCountersOptions) {
    this.#tier = tier
    this.#options = options
  }

  readonly consume: RateCounter = async (key, limit) => {
    const { clock, log } = this.#options
    if (clock.now() < this.#insuredUntil) return this.#insurance(key, limit)
    try {
      return await this.#inTime(this.#limiter(limit).consume(key))
    } catch (thrown) {
      // Refused: from memory it comes without a count.
      if (thrown instanceof RateLimiterRes) {
        const { consumedPoints, msBeforeNext } = thrown
        return { consumedPoints: Math.max(consumedPoints, limit + 1), msBeforeNext }
      }
      log.warn({ err: thrown, tier: this.#tier }, 'requests cannot be counted for all nodes; this one counts its own')
      this.#insuredUntil = clock.now() + INSURED_MS
      return this.#insurance(key, limit)
    }
  }

  #limiter(limit: number): RateLimiterMongo {
    const known = this.#limiters.get(limit) ?? limiterOf(this.#options, this.#tier, limit)
    this.#limiters.set(limit, known)
    return known
  }

  async #inTime<T>(counting: Promise<T>): Promise<T> {
    const { clock, answerWithinMs = 500 } = this.#options
    const over = new AbortController()
    const late = clock.sleep(answerWithinMs, over.signal).then(
      () => Promise.reject(new TooSlowError('the database did not count in time')),
      () => counting,
    )
    // What comes after that is nobody's.
    counting.catch(() => undefined)
    try {
      return await Promise.race([counting, late])
    } finally {
      over.abort()
      late.catch(() => undefined)
    }
  }
}
