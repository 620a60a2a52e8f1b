import type { Db } from 'mongodb'
import { RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible'
import type { Clock } from '#packages/ports/clock.ts'
import {
  RATE_WINDOW_SECONDS,
  type RateCount,
  type RateCounter,
  type RateCounters,
} from '#packages/ports/rate-counters.ts'
import type { CircuitBreaker } from '../circuit-breaker.ts'
import { inReach, isAway } from './connection.ts'
import { LocalCounts, type StoredCount } from './local-counts.ts'
import { onceDone } from './once-done.ts'

export type MongoRateCountersOptions = {
  db: Db
  clock: Clock
  log: { warn(fields: object, message: string): void }
  /** Knows whether the database is away, and limits how long a request waits for its count. */
  database: CircuitBreaker
}

const COLLECTION = 'rates'

/**
 * Counters that all nodes share. Far below its limit a key is counted here for half a second at a time. Above its limit
 * it is refused from memory until its window ends. Neither takes a write. If the database does not answer, each node
 * counts for itself, and the limit then applies to each node. Disposing sends the last requests to the database.
 */
export function mongoRateCounters(options: MongoRateCountersOptions): RateCounters & AsyncDisposable {
  const made: MongoRateCounter[] = []
  const whenIndexed = onceDone(() => limiterOf(options, 'indexes', 1).createIndexes())
  const counterOf: RateCounters = (tier) => {
    const counter = new MongoRateCounter(tier, options, whenIndexed)
    made.push(counter)
    return counter
  }
  const dispose = async (): Promise<void> => {
    await Promise.all(made.map((counter) => counter[Symbol.asyncDispose]()))
  }
  return Object.assign(counterOf, { [Symbol.asyncDispose]: dispose })
}

/** A limiter for each limit of a tier: plans have different limits, and all limiters share the counts. */
const limiterOf = ({ db }: MongoRateCountersOptions, tier: string, limit: number): RateLimiterMongo =>
  new RateLimiterMongo({
    storeClient: db,
    tableName: COLLECTION,
    keyPrefix: tier,
    points: limit,
    duration: RATE_WINDOW_SECONDS,
    inMemoryBlockOnConsumed: limit + 1,
    // The indexes are created once, before the first count.
    disableIndexesCreation: true,
  })

/** Requests of one caller that wait for their count. */
type Asked = { limit: number; requests: number; tell(count: RateCount): void }

const requestsOf = (asked: readonly Asked[]): number => asked.reduce((sum, { requests }) => sum + requests, 0)

/**
 * Requests that arrive while others of their key are being counted are then counted together: a burst costs few writes.
 */
class MongoRateCounter implements RateCounter, AsyncDisposable {
  readonly #tier: string
  readonly #options: MongoRateCountersOptions
  readonly #whenIndexed: () => Promise<unknown>
  readonly #limiters = new Map<number, RateLimiterMongo>()
  readonly #local: LocalCounts
  /** Waiting requests of every key that is being counted. */
  readonly #waiting = new Map<string, Asked[]>()

  /** @param whenIndexed resolves when the database has the indexes that make counts exact */
  constructor(tier: string, options: MongoRateCountersOptions, whenIndexed: () => Promise<unknown>) {
    this.#tier = tier
    this.#options = options
    this.#whenIndexed = whenIndexed
    this.#local = new LocalCounts(options.db.collection<StoredCount>(COLLECTION), options.clock, (err) =>
      this.#options.log.warn({ err, tier }, 'the database was not told of requests that were counted here'),
    )
  }

  readonly count: RateCounter['count'] = async (key, limit, requests = 1) => {
    if (this.#options.database.isOpen) return this.#local.countAlone(this.#stored(key), requests)
    const waiting = this.#waiting.get(key)
    const counted = waiting === undefined ? this.#local.count(this.#stored(key), limit, requests) : undefined
    if (counted !== undefined) return counted
    const { promise, resolve: tell } = Promise.withResolvers<RateCount>()
    if (waiting !== undefined) waiting.push({ limit, requests, tell })
    else void this.#countAll(key, [{ limit, requests, tell }])
    return promise
  }

  /** Written without the limiter, which would begin a window below zero if there is none. */
  readonly giveBack: RateCounter['giveBack'] = async (key) => {
    // The database did not know the request yet.
    if (this.#local.giveBack(this.#stored(key))) return
    const { database, db } = this.#options
    const filter = { key: this.#stored(key), points: { $gt: 0 }, expire: { $gt: new Date() } }
    try {
      await database.call(() => inReach(db.collection(COLLECTION).updateOne(filter, { $inc: { points: -1 } })))
    } catch (error) {
      this.#noteFailure(error)
      this.#local.giveBackAlone(this.#stored(key))
    }
  }

  async #countAll(key: string, first: Asked[]): Promise<void> {
    for (let asked = first; asked.length > 0; asked = this.#waiting.get(key) ?? []) {
      this.#waiting.set(key, [])
      const last = await this.#countTogether(key, asked)
      let counted = last.counted - requestsOf(asked)
      for (const { requests, tell } of asked) {
        counted += requests
        tell({ ...last, counted })
      }
    }
    this.#waiting.delete(key)
  }

  /** Counts the requests together, and returns the count of the last one. Never throws. */
  async #countTogether(key: string, asked: readonly Asked[]): Promise<RateCount> {
    const limit = Math.max(...asked.map((each) => each.limit))
    try {
      return await this.#options.database.call(() => inReach(this.#countStored(key, limit, requestsOf(asked))))
    } catch (error) {
      this.#noteFailure(error)
      return this.#local.countAlone(this.#stored(key), requestsOf(asked))
    }
  }

  /** Counts requests in the database, together with those that were counted here before. */
  async #countStored(key: string, limit: number, requests: number): Promise<RateCount> {
    await this.#whenIndexed()
    const untold = await this.#local.take(this.#stored(key))
    const { consumedPoints, msBeforeNext } = await this.#limiter(limit)
      .consume(key, untold + requests)
      .catch((refusal: unknown) => {
        if (refusal instanceof RateLimiterRes) return refusal
        throw refusal
      })
    // A refusal from memory comes without a count.
    const count = { counted: consumedPoints || limit + requests, endsInMs: msBeforeNext }
    this.#local.note(this.#stored(key), count)
    return count
  }

  /** Does not log that the database is away: the circuit breaker reports that once. */
  #noteFailure(err: unknown): void {
    if (!isAway(err)) this.#options.log.warn({ err, tier: this.#tier }, 'requests are counted for this node alone')
  }

  /** The name of a key in the database, as the limiters build it. */
  #stored(key: string): string {
    return `${this.#tier}:${key}`
  }

  #limiter(limit: number): RateLimiterMongo {
    const known = this.#limiters.get(limit) ?? limiterOf(this.#options, this.#tier, limit)
    this.#limiters.set(limit, known)
    return known
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#local[Symbol.asyncDispose]()
  }
}
