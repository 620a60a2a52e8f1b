import { LRUCache } from 'lru-cache'
import type { Clock } from '#packages/ports/clock.ts'

/**
 * A cache that reads what it lacks: values by key, each at most `ttlMs` milliseconds old from the moment its read began.
 * A key is read once at a time, however many ask for it.
 */
export class TtlCache<V> {
  readonly #clock: Clock
  readonly #read: (key: string) => Promise<V>
  readonly #ttlMs: number
  readonly #entries: LRUCache<string, { value: Promise<V>; readAt: number }>

  /** @param options.maxEntries beyond them the least recently used one is dropped */
  constructor(clock: Clock, read: (key: string) => Promise<V>, options: { ttlMs: number; maxEntries: number }) {
    this.#clock = clock
    this.#read = read
    this.#ttlMs = options.ttlMs
    this.#entries = new LRUCache({ max: options.maxEntries })
  }

  /** @throws what reading throws; a failed read is not kept */
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
}
