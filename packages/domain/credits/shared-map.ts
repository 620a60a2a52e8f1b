/**
 * The most changes that a copy takes along with this many shared entries. Beyond that, it merges everything into one
 * new list. At this number, copying costs the least over many copies.
 */
const mostChanges = (shared: number): number => Math.max(8, Math.sqrt(2 * shared))

/** A map that is cheap to copy: copies share the entries that they do not change. The newest entries come last. */
export class SharedMap<K, V> implements ReadonlyMap<K, V> {
  /** Never changed. */
  readonly #shared: ReadonlyMap<K, V>
  /** Shared entries that this map no longer has, or has with another value. */
  readonly #dropped: Set<K>
  readonly #own: Map<K, V>

  /** A copy. */
  constructor(from: ReadonlyMap<K, V>) {
    const isCheap = from instanceof SharedMap && from.#own.size + from.#dropped.size <= mostChanges(from.#shared.size)
    this.#shared = isCheap ? from.#shared : new Map(from)
    this.#dropped = new Set(isCheap ? from.#dropped : [])
    this.#own = new Map(isCheap ? from.#own : [])
  }

  get size(): number {
    return this.#shared.size - this.#dropped.size + this.#own.size
  }

  get(key: K): V | undefined {
    if (this.#own.has(key)) return this.#own.get(key)
    return this.#dropped.has(key) ? undefined : this.#shared.get(key)
  }

  has(key: K): boolean {
    return this.#own.has(key) || (this.#shared.has(key) && !this.#dropped.has(key))
  }

  set(key: K, value: V): void {
    if (this.#shared.has(key)) this.#dropped.add(key)
    this.#own.set(key, value)
  }

  delete(key: K): void {
    if (this.#shared.has(key)) this.#dropped.add(key)
    this.#own.delete(key)
  }

  *[Symbol.iterator](): MapIterator<[K, V]> {
    for (const entry of this.#shared) if (!this.#dropped.has(entry[0])) yield entry
    yield* this.#own
  }

  entries(): MapIterator<[K, V]> {
    return this[Symbol.iterator]()
  }

  *keys(): MapIterator<K> {
    for (const [key] of this) yield key
  }

  *values(): MapIterator<V> {
    for (const [, value] of this) yield value
  }

  forEach(call: (value: V, key: K, map: ReadonlyMap<K, V>) => void): void {
    for (const [key, value] of this) call(value, key, this)
  }

  /** For JSON.stringify: as an object. */
  toJSON(): Record<string, V> {
    return Object.fromEntries([...this].map(([key, value]) => [String(key), value]))
  }
}
