import type { TransportLease } from './egress.ts'
import type { NextHop } from './next-hop.ts'
import type { Transport } from './transport.ts'

type Kept = { transport: Transport; users: number }

/**
 * The transports of a bounded number of next hops. Beyond the bound, it closes the least recently used one, but never
 * one in use.
 */
export class TransportPool implements AsyncDisposable {
  /** By the hop's name, the most recently used last. */
  readonly #kept = new Map<string, Kept>()
  readonly #maxTransports: number
  readonly #open: (proxy: URL | undefined) => Transport
  readonly #closing = new Set<Promise<void>>()
  #closed = false

  constructor(maxTransports: number, open: (proxy: URL | undefined) => Transport) {
    this.#maxTransports = maxTransports
    this.#open = open
  }

  /** How many transports are open. */
  get size(): number {
    return this.#kept.size
  }

  /** The transport of a hop, open at least until the lease is released. */
  take({ name, proxy }: NextHop): TransportLease {
    if (this.#closed) throw new Error('the egress routes are closed')
    const kept = this.#kept.get(name) ?? { transport: this.#open(proxy), users: 0 }
    kept.users++
    this.#kept.delete(name)
    this.#kept.set(name, kept)
    this.#evict()
    let released = false
    const release = () => {
      if (released) return
      released = true
      kept.users--
      this.#evict()
    }
    return { transport: kept.transport, release }
  }

  #evict(): void {
    for (const [name, { transport, users }] of this.#kept) {
      if (this.#kept.size <= this.#maxTransports) return
      if (users > 0) continue
      this.#kept.delete(name)
      // the transport is no longer used, so a failure to close it does not matter
      const forget = () => void this.#closing.delete(closing)
      const closing: Promise<void> = Promise.resolve(transport[Symbol.asyncDispose]()).then(forget, forget)
      this.#closing.add(closing)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    const transports = [...this.#kept.values()]
    this.#kept.clear()
    await Promise.all([...transports.map(({ transport }) => transport[Symbol.asyncDispose]()), ...this.#closing])
  }
}
