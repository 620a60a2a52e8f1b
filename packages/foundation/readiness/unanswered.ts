import type { Clock } from '#packages/ports/clock.ts'
import type { Warned, Warning } from './readiness.ts'

type Options = {
  /** The warning's code for monitoring, such as `mail_server_failing`. */
  code: string
  /** The beginning of the message, such as */
  message: string
  /** How many calls in a row have to fail: a single failure may be due to its request. */
  inARow: number
}

/** Warns of an external service while its latest calls have failed. The warning has only totals, not the callers. */
export class Unanswered implements Warned {
  readonly #clock: Clock
  readonly #options: Options
  #failed: { since: number; count: number; last: string } | undefined

  constructor(clock: Clock, options: Options) {
    this.#clock = clock
    this.#options = options
  }

  /** A call has succeeded, as far as the other side can tell. */
  answered(): void {
    this.#failed = undefined
  }

  /** A call has failed. @param why a code */
  failed(why: string): void {
    const { since = this.#clock.now(), count = 0 } = this.#failed ?? {}
    this.#failed = { since, count: count + 1, last: why }
  }

  /** The present problem; none once a call has succeeded again. */
  get warnings(): Warning[] {
    const { code, message, inARow } = this.#options
    if (this.#failed === undefined || this.#failed.count < inARow) return []
    const { since, count, last } = this.#failed
    const calls = count === 1 ? 'one call has failed' : `${count} calls in a row have failed`
    return [{ code, message: `${message}: ${calls} since ${new Date(since).toISOString()} (${last}).` }]
  }
}
