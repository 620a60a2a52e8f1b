import { LRUCache } from 'lru-cache'
import type { Clock } from '#packages/ports/clock.ts'
import { growingTo } from './growing-to.ts'

/**
 * A TTL cache that reads missing values by key. A value is used for `ttlMs` milliseconds from the start of its read.
 * Callers of the same key at the same time share one read.
 */
export class TtlCache<V> {
  readonly #clock: Clock
  readonly #read: (key: string) => Promise<V>
  readonly #ttlMs: number
  readonly #entries: LRUCache<string, { value: Promise<V>; readAt: number }>

  /** @param options.maxEntries beyond this, the least recently used value is evicted */
  constructor(clock: Clock, read: (key: string) => Promise<V>, options: { ttlMs: number; maxEntries: number }) {
    this.#clock = clock
    this.#read = read
    this.#ttlMs = options.ttlMs
    this.#entries = new LRUCache(growingTo(options.maxEntries))
  }

  /** @throws what the read throws; a failure is not cached */
  get(key: string): Promise<V> {
    const now = this.#clock.now()
    const known = this.#entries.get(key)
    if (known !== undefined && now - known.readAt < this.#ttlMs) return known.value
    const entry = { value: this.#read(key), readAt: now }
    this.#entries.set(key, entry)
    entry.value.catch(() => {
      if (this.#entries.peek(key) === entry) this.#entries.delete(key)
    })
    return entry.value
  }

  /** The value has changed: the next caller reads it again. */
  delete(key: string): void {
    this.#entries.delete(key)
  }
}
