import type { Clock } from '#packages/ports/clock.ts'
import { UnreachableError } from '#packages/ports/unreachable.ts'

export type CircuitBreakerOptions = {
  clock: Clock
  /** The server's name, for messages. */
  what: string
  /** Sends the server a small request. @throws Error it does not answer */
  probe(): Promise<unknown>
  /** Whether a call failed because the server is away. */
  isAway(error: unknown): boolean
  /** Called each time the server is found to be away. */
  onAway(error: unknown): void
  /** How long a call waits for its answer, milliseconds. */
  answerWithinMs: number
}

/** The interval between probes of a server that is away, milliseconds. */
export const PROBE_EVERY_MS = 1000

/**
 * Protects calls that must not wait for a dead server. Once the server is found to be away, calls fail at once. They
 * resume when the server answers a probe, or a call that was only late. Probes run in the background and never delay a
 * call.
 */
export class CircuitBreaker implements Disposable {
  readonly #options: CircuitBreakerOptions
  readonly #end = new AbortController()
  #isOpen = false
  #isProbing = false

  constructor(options: CircuitBreakerOptions) {
    this.#options = options
  }

  /**
   * @throws UnreachableError at once while the server is away, or if it does not answer in time
   * @throws whatever `ask` throws
   */
  async call<T>(ask: () => Promise<T>): Promise<T> {
    this.assertClosed()
    const { clock, what, answerWithinMs, isAway } = this.#options
    const answered = new AbortController()
    const answer = ask()
    const late = clock.sleep(answerWithinMs, answered.signal).then(() => {
      // Either the server or this process was only slow.
      answer.then(this.#close, () => undefined)
      throw new UnreachableError(what, new Error(`no answer within ${answerWithinMs} ms`))
    })
    try {
      return await Promise.race([answer, late])
    } catch (error) {
      if (isAway(error)) this.#open(error)
      throw error
    } finally {
      answered.abort()
      late.catch(() => undefined)
    }
  }

  /** Whether the server is away. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** @throws UnreachableError the server is away */
  assertClosed(): void {
    if (this.#isOpen) throw new UnreachableError(this.#options.what, new Error('it was away a moment ago'))
  }

  #open(error: unknown): void {
    if (this.#isOpen || this.#end.signal.aborted) return
    this.#isOpen = true
    this.#options.onAway(error)
    if (!this.#isProbing) void this.#probeUntilAnswered()
  }

  readonly #close = (): void => {
    this.#isOpen = false
  }

  async #probeUntilAnswered(): Promise<void> {
    const { signal } = this.#end
    this.#isProbing = true
    while (this.#isOpen) {
      await this.#options.clock.sleep(PROBE_EVERY_MS, signal).catch(() => undefined)
      if (signal.aborted || !this.#isOpen) break
      // If this probe fails, the loop sends another.
      await this.#options.probe().then(this.#close, () => undefined)
    }
    this.#isProbing = false
  }

  [Symbol.dispose](): void {
    this.#end.abort()
  }
}
