import { LRUCache } from 'lru-cache'
import { type OnWait, type Sharer, SingleFlight } from '#packages/foundation/concurrency/single-flight.ts'
import type { Clock } from '#packages/ports/clock.ts'

export type ReadThroughCacheOptions<T> = {
  clock: Clock
  /** How long a result is kept, seconds; 0: not at all. May depend on the result. */
  seconds: number | ((value: T) => number)
  /** Limit of all results together, characters of JSON: some videos have a hundred languages or very long texts. */
  maxCharacters?: number
  /** Called for each successful lookup, with whether the result was cached. */
  onLookup?: (isHit: boolean) => void
}

/** The longest time to keep an incomplete result, seconds: its platform may answer in full again at any moment. */
export const INCOMPLETE_SECONDS = 30

const MAX_ENTRIES = 2000

/** The share of the cache that results for one organization may take. Operators have no such limit. */
const SHARE = 1 / 4

type Kept<T> = { value: T; until: number; owner: string | undefined; characters: number }

/**
 * A read-through TTL cache: one read per key at a time. It keeps results for a while, but no failures, and serves
 * them to all callers. When one organization's results exceed its share, its oldest are evicted. A caller never waits
 * for a read that waits for another organization's share.
 */
export class ReadThroughCache<T extends NonNullable<unknown>> {
  readonly #results: LRUCache<string, Kept<T>>
  readonly #flights = new SingleFlight<T>()
  readonly #options: Required<ReadThroughCacheOptions<T>>

  constructor(options: ReadThroughCacheOptions<T>) {
    this.#options = { maxCharacters: 32 * 1024 * 1024, onLookup: () => {}, ...options }
    const { maxCharacters: maxSize } = this.#options
    this.#results = new LRUCache({ max: MAX_ENTRIES, maxSize, sizeCalculation: ({ characters }) => characters })
  }

  /**
   * @param read called for this sharer, with the signal and `onWait` of all that share the read
   * @throws what the read throws; the signal's reason
   */
  async get<S extends Sharer>(
    key: string,
    sharer: S,
    read: (shared: S & { signal: AbortSignal; onWait: OnWait }) => Promise<T>,
  ): Promise<T> {
    const { clock, seconds, onLookup } = this.#options
    const known = this.#results.get(key)
    if (known && known.until > clock.now()) {
      onLookup(true)
      return known.value
    }
    let isHit = true
    const result = await this.#flights.run(key, sharer, async (signal, onWait) => {
      isHit = false
      const value = await read({ ...sharer, signal, onWait })
      const keptSeconds = typeof seconds === 'number' ? seconds : seconds(value)
      if (keptSeconds > 0) {
        const characters = JSON.stringify(value).length
        const { organization: owner } = sharer
        this.#results.set(key, { value, until: clock.now() + keptSeconds * 1000, owner, characters })
        if (owner !== undefined) this.#keepToShare(owner)
      }
      return value
    })
    onLookup(isHit)
    return result
  }

  /** Whether the cache has a result. */
  has(key: string): boolean {
    return (this.#results.peek(key)?.until ?? 0) > this.#options.clock.now()
  }

  /** Drops the result of a key. */
  drop(key: string): void {
    this.#results.delete(key)
  }

  #keepToShare(owner: string): void {
    const oldestFirst = [...this.#results.entries()].filter(([, kept]) => kept.owner === owner).toReversed()
    let count = oldestFirst.length
    let characters = oldestFirst.reduce((sum, [, kept]) => sum + kept.characters, 0)
    for (const [key, kept] of oldestFirst) {
      if (count <= this.#results.max * SHARE && characters <= this.#results.maxSize * SHARE) return
      this.#results.delete(key)
      count--
      characters -= kept.characters
    }
  }
}
