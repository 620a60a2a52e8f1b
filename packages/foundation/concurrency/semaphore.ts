import type { OnWait } from '#packages/foundation/concurrency/single-flight.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'

/**
 * The share that work belongs to, such as an organization, and how many permits it may hold: by default half, rounded
 * up.
 */
export type Share = string | { name: string; most: number }

export type SemaphoreOptions = {
  /** How many callers may wait for a permit. Default: any number. */
  maxWaiting?: number
  /** Whether a share that already holds its most may get further permits while no other share waits. */
  lends?: boolean
  /** Creates the error for a caller that may not wait because too many already do. */
  tooMany?: () => Error
}

type Bounded = Exclude<Share, string>
type Waiting = { shares: readonly Bounded[]; begin(): void; fail(reason: unknown): void }

/**
 * The callers that wait with one signal. They share one listener, because removing a listener searches all listeners of
 * the signal.
 */
type WithSignal = { waiting: Set<Waiting>; onAbort: () => void }

/**
 * A semaphore that is fair by share. No share holds more than its `most`, so that work of other shares finds a free
 * permit. The next permit goes to the waiting share that holds the fewest. Among equals, it goes to the one that
 * returned a permit least recently. Within a share, work runs in order. With one permit it is a mutex, and shares take
 * turns.
 */
export class Semaphore {
  readonly #half: number
  readonly #options: Required<SemaphoreOptions>
  readonly #held = new Map<string, number>()
  /** The waiting work, by its first share. The next share comes first. */
  readonly #lines = new Map<string, Set<Waiting>>()
  readonly #signals = new Map<AbortSignal, WithSignal>()
  #free: number
  #waiting = 0

  constructor(permits: number, options: SemaphoreOptions = {}) {
    this.#free = permits
    this.#half = Math.ceil(permits / 2)
    this.#options = { maxWaiting: Number.POSITIVE_INFINITY, lends: false, tooMany: tooManyWait, ...options }
  }

  /** How many permits a share holds. */
  heldBy(share: string): number {
    return this.#held.get(share) ?? 0
  }

  /**
   * Waits for a permit; disposing returns it.
   * @param shares that the work belongs to; the first decides when it is next
   * @param onWait called with true when it must wait, and with false when the wait is over
   * @throws the error of `tooMany`, by default StepError, if too many wait; the signal's reason
   */
  async acquire(signal?: AbortSignal, shares: readonly Share[] = [], onWait?: OnWait): Promise<Disposable> {
    signal?.throwIfAborted()
    const bounded = shares.map((share) => this.#bounded(share))
    if (this.#fits(bounded) || this.#mayBorrow) return this.#enter(bounded)
    if (this.#waiting >= this.#options.maxWaiting) throw this.#options.tooMany()
    onWait?.(true)
    const permit = await this.#turn(bounded, signal)
    onWait?.(false)
    return permit
  }

  /** Takes permits at once; undefined if there are too few. */
  tryAcquire(shares: readonly Share[] = [], count = 1): Disposable | undefined {
    const bounded = shares.map((share) => this.#bounded(share))
    return this.#fits(bounded, count) ? this.#enter(bounded, count) : undefined
  }

  #bounded(share: Share): Bounded {
    return typeof share === 'string' ? { name: share, most: this.#half } : share
  }

  #fits(shares: readonly Bounded[], count = 1): boolean {
    return this.#free >= count && shares.every(({ name, most }) => this.heldBy(name) + count <= most)
  }

  get #mayBorrow(): boolean {
    return this.#options.lends && this.#free > 0
  }

  #enter(shares: readonly Bounded[], count = 1): Disposable {
    this.#change(shares, count)
    let isOver = false
    return {
      [Symbol.dispose]: () => {
        if (isOver) return
        isOver = true
        this.#change(shares, -count)
        this.#putLast(shares[0]?.name)
        for (let one = this.#next(); one; one = this.#next()) one.begin()
      },
    }
  }

  #change(shares: readonly Bounded[], by: number): void {
    this.#free -= by
    for (const { name } of shares) {
      const now = this.heldBy(name) + by
      if (now > 0) this.#held.set(name, now)
      else this.#held.delete(name)
    }
  }

  #putLast(name = ''): void {
    const line = this.#lines.get(name)
    if (line === undefined) return
    this.#lines.delete(name)
    this.#lines.set(name, line)
  }

  #next(): Waiting | undefined {
    if (this.#free === 0 || this.#waiting === 0) return undefined
    const next = this.#firstWhere(({ shares }) => this.#fits(shares))
    return next ?? (this.#mayBorrow ? this.#firstWhere(() => true) : undefined)
  }

  #firstWhere(mayBegin: (one: Waiting) => boolean): Waiting | undefined {
    let first: Waiting | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const [name, line] of this.#lines) {
      const held = this.heldBy(name)
      const found = held < fewest ? line.values().find(mayBegin) : undefined
      if (found === undefined) continue
      first = found
      fewest = held
    }
    return first
  }

  #turn(shares: readonly Bounded[], signal: AbortSignal | undefined): Promise<Disposable> {
    return new Promise((resolve, reject) => {
      const one: Waiting = {
        shares,
        begin: () => {
          this.#leave(one, signal)
          resolve(this.#enter(shares))
        },
        fail: (reason) => {
          this.#leave(one, signal)
          reject(reason)
        },
      }
      const name = shares[0]?.name ?? ''
      this.#lines.set(name, (this.#lines.get(name) ?? new Set()).add(one))
      this.#waiting++
      if (signal) this.#listen(one, signal)
    })
  }

  #leave(one: Waiting, signal: AbortSignal | undefined): void {
    const name = one.shares[0]?.name ?? ''
    const line = this.#lines.get(name)
    line?.delete(one)
    if (line?.size === 0) this.#lines.delete(name)
    this.#waiting--
    const those = signal && this.#signals.get(signal)
    those?.waiting.delete(one)
    if (those?.waiting.size !== 0) return
    signal?.removeEventListener('abort', those.onAbort)
    if (signal) this.#signals.delete(signal)
  }

  #listen(one: Waiting, signal: AbortSignal): void {
    const known = this.#signals.get(signal)
    if (known !== undefined) return void known.waiting.add(one)
    const waiting = new Set([one])
    const onAbort = (): void => {
      for (const each of [...waiting]) each.fail(signal.reason)
    }
    this.#signals.set(signal, { waiting, onAbort })
    signal.addEventListener('abort', onAbort)
  }
}

const tooManyWait = (): Error =>
  new StepError('internal_error', { transient: true, message: 'Too many requests wait for their turn.' })
