import type { RouteLease } from './egress.ts'
import type { NextHop } from './next-hop.ts'
import type { Route } from './route.ts'

type Kept = { route: Route; users: number }

/**
 * The routes of a bounded number of next hops: beyond it, the one that has not been used for longest is closed, never
 * one that is in use.
 */
export class RoutePool implements AsyncDisposable {
  /** By the hop's name, the one used last at the end. */
  readonly #kept = new Map<string, Kept>()
  readonly #maxRoutes: number
  readonly #open: (proxy: URL | undefined) => Route
  readonly #closing = new Set<Promise<void>>()
  #closed = false

  constructor(maxRoutes: number, open: (proxy: URL | undefined) => Route) {
    this.#maxRoutes = maxRoutes
    this.#open = open
  }

  /** How many routes are open. */
  get size(): number {
    return this.#kept.size
  }

  /** The route of a hop, open at least until the lease is released. */
  take({ name, proxy }: NextHop): RouteLease {
    if (this.#closed) throw new Error('the ways out are closed')
    const kept = this.#kept.get(name) ?? { route: this.#open(proxy), users: 0 }
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
    return { route: kept.route, release }
  }

  #evict(): void {
    for (const [name, { route, users }] of this.#kept) {
      if (this.#kept.size <= this.#maxRoutes) return
      if (users > 0) continue
      this.#kept.delete(name)
      // nobody uses it any more: an error of its end is nobody's
      const forget = () => void this.#closing.delete(closing)
      const closing: Promise<void> = Promise.resolve(route[Symbol.asyncDispose]()).then(forget, forget)
      this.#closing.add(closing)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    const routes = [...this.#kept.values()]
    this.#kept.clear()
    await Promise.all([...routes.map(({ route }) => route[Symbol.asyncDispose]()), ...this.#closing])
  }
}
