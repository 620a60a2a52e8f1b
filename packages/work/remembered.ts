import { LRUCache } from 'lru-cache'
import type { Clock } from '#packages/ports/clock.ts'

/** Values that may be a little old, by key; each is read once at a time, however many ask. */
export class Remembered<V> {
  readonly #clock: Clock
  readonly #read: (key: string) => Promise<V>
  readonly #staleAfterMs: number
  readonly #entries: LRUCache<string, { value: Promise<V>; readAt: number }>

  constructor(
    clock: Clock,
    read: (key: string) => Promise<V>,
    options: { staleAfterMs: number; cachedEntries: number },
  ) {
    this.#clock = clock
    this.#read = read
    this.#staleAfterMs = options.staleAfterMs
    this.#entries = new LRUCache({ max: options.cachedEntries })
  }

  /** @throws what reading throws; a failed read is not remembered */
  get(key: string): Promise<V> {
    const now = this.#clock.now()
    const known = this.#entries.get(key)
    if (known !== undefined && now - known.readAt < this.#staleAfterMs) return known.value
    const entry = { value: this.#read(key), readAt: now }
    this.#entries.set(key, entry)
    entry.value.catch(() => {
      if (this.#entries.peek(key) === entry) this.#entries.delete(key)
    })
    return entry.value
  }
}
