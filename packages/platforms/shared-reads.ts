import { LRUCache } from 'lru-cache'
import type { Clock } from '#packages/ports/clock.ts'
import { type OnWait, SharedWork, type Sharer } from '#packages/work/shared-work.ts'

export type SharedReadsOptions<T> = {
  clock: Clock
  /** How long a result is served again, seconds; 0: not at all. */
  seconds: number
  /** Of all results together, as JSON: some platforms tell a hundred languages of a video, others' words have no end. */
  maxCharacters?: number
  /** False for results that the next one who asks should not get. */
  isWorthKeeping?: (value: T) => boolean
}

const MAX_ENTRIES = 2000

type Kept<T> = { value: T; until: number }

/**
 * Reads of the outside, one under way per key at a time, whose results are remembered for a while. Failures are not.
 * Nobody waits for a read that waits for the share of another organization.
 */
export class SharedReads<T extends NonNullable<unknown>> {
  readonly #results: LRUCache<string, Kept<T>>
  readonly #underWay = new SharedWork<T>()
  readonly #options: SharedReadsOptions<T>

  constructor(options: SharedReadsOptions<T>) {
    this.#options = options
    const { maxCharacters: maxSize = 32 * 1024 * 1024 } = options
    const sizeCalculation = ({ value }: Kept<T>): number => JSON.stringify(value).length
    this.#results = new LRUCache({ max: MAX_ENTRIES, maxSize, sizeCalculation })
  }

  /** @throws what the read throws; the signal's reason */
  async get(key: string, sharer: Sharer, read: (signal: AbortSignal, onWait: OnWait) => Promise<T>): Promise<T> {
    const { clock, seconds, isWorthKeeping = () => true } = this.#options
    const known = this.#results.get(key)
    if (known && known.until > clock.now()) return known.value
    return this.#underWay.share(key, sharer, async (shared, onWait) => {
      const value = await read(shared, onWait)
      if (seconds > 0 && isWorthKeeping(value)) this.#results.set(key, { value, until: clock.now() + seconds * 1000 })
      return value
    })
  }
}
