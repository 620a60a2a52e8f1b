import type { Clock } from '#packages/ports/clock.ts'
import type { Warned, Warning } from './readiness.ts'

type Options = {
  /** What monitoring tells the warning by, such as `mail_server_failing`. */
  code: string
  /** The beginning of its message, such as `The mail server does not take mails`. */
  message: string
  /** So many calls in a row have to fail: one alone may be about what it asks for. */
  inARow: number
}

/** Warns of something outside while its latest calls have failed, in sums: whom each was for is not told. */
export class Unanswered implements Warned {
  readonly #clock: Clock
  readonly #options: Options
  #failed: { since: number; count: number; last: string } | undefined

  constructor(clock: Clock, options: Options) {
    this.#clock = clock
    this.#options = options
  }

  /** A call has gone well, as far as the other side can tell. */
  answered(): void {
    this.#failed = undefined
  }

  /** A call has come to nothing. @param why a code */
  failed(why: string): void {
    const { since = this.#clock.now(), count = 0 } = this.#failed ?? {}
    this.#failed = { since, count: count + 1, last: why }
  }

  /** What is wrong; nothing once a call has gone well again. */
  get warnings(): Warning[] {
    const { code, message, inARow } = this.#options
    if (this.#failed === undefined || this.#failed.count < inARow) return []
    const { since, count, last } = this.#failed
    const calls = count === 1 ? 'a call has ended' : `${count} calls in a row have ended, the last one`
    return [{ code, message: `${message}: since ${new Date(since).toISOString()} ${calls} with ${last}.` }]
  }
}
