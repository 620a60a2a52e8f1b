import type { Clock } from '#packages/ports/clock.ts'
import { UnreachableError } from '#packages/ports/unreachable.ts'

export type CircuitBreakerOptions = {
  clock: Clock
  /** The server, for messages. */
  what: string
  /** Asks the server for something small. @throws Error it does not answer */
  probe(): Promise<unknown>
  /** Whether a call failed because the server is away. */
  isAway(error: unknown): boolean
  /** Called each time the server is found to be away. */
  onAway(error: unknown): void
  /** How long a call waits for its answer, milliseconds. */
  answerWithinMs: number
}

/** How often a server that is away is asked again, milliseconds. */
export const PROBE_EVERY_MS = 1000

/**
 * Calls to a server that must not be waited for. Once it is found to be away, calls fail at once, until it has answered
 * a probe: that is sent beside the calls, never in the time of one.
 */
export class CircuitBreaker implements Disposable {
  readonly #options: CircuitBreakerOptions
  readonly #end = new AbortController()
  #isOpen = false

  constructor(options: CircuitBreakerOptions) {
    this.#options = options
  }

  /** @throws UnreachableError at once while the server is away, or where it does not answer in time; as `ask` does */
  async call<T>(ask: () => Promise<T>): Promise<T> {
    this.assertClosed()
    const { clock, what, answerWithinMs, isAway } = this.#options
    const answered = new AbortController()
    const late = clock.sleep(answerWithinMs, answered.signal).then(() => {
      throw new UnreachableError(what, new Error(`no answer within ${answerWithinMs} ms`))
    })
    try {
      return await Promise.race([ask(), late])
    } catch (error) {
      if (isAway(error)) this.#open(error)
      throw error
    } finally {
      answered.abort()
      late.catch(() => undefined)
    }
  }

  /** @throws UnreachableError the server is away */
  assertClosed(): void {
    if (this.#isOpen) throw new UnreachableError(this.#options.what, new Error('it was away a moment ago'))
  }

  #open(error: unknown): void {
    if (this.#isOpen || this.#end.signal.aborted) return
    this.#isOpen = true
    this.#options.onAway(error)
    void this.#probeUntilAnswered()
  }

  async #probeUntilAnswered(): Promise<void> {
    const { signal } = this.#end
    while (this.#isOpen) {
      await this.#options.clock.sleep(PROBE_EVERY_MS, signal).catch(() => undefined)
      if (signal.aborted) return
      // A probe that fails is followed by another.
      this.#isOpen = await this.#options.probe().then(
        () => false,
        () => true,
      )
    }
  }

  [Symbol.dispose](): void {
    this.#end.abort()
  }
}
