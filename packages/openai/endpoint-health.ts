import type { Clock } from '#packages/ports/clock.ts'
import type { Warned, Warning } from '#packages/readiness/readiness.ts'
import type { Outcome } from './outcome.ts'

/** So many requests in a row whose form was refused are no longer about what a single one asks for. */
const REFUSED_IN_A_ROW = 3

/** A call under way. */
type Call = { startedAt: number; slowAfterMs: number }

type Failures = { since: number; count: number; last: Outcome }

/** How an endpoint stands, by its latest calls: whether they fail, or take too long. */
export class EndpointHealth implements Warned {
  readonly #clock: Clock
  readonly #kind: string
  readonly #underWay = new Set<Call>()
  #failures: Failures | undefined
  /** How long the latest call has taken that has gone well, where that was too long, milliseconds. */
  #slowMs = 0

  /** @param kind the word before "endpoint", such as `speech` */
  constructor(clock: Clock, kind: string) {
    this.#clock = clock
    this.#kind = kind
  }

  /** A call begins. @returns what is to be told its end */
  begin(slowAfterMs: number): (outcome: Outcome) => void {
    const call = { startedAt: this.#clock.now(), slowAfterMs }
    this.#underWay.add(call)
    return (outcome) => {
      this.#underWay.delete(call)
      // That nobody wants the answer any more says nothing of the endpoint.
      if (outcome !== 'cancelled') this.#note(call, outcome)
    }
  }

  #note({ startedAt, slowAfterMs }: Call, outcome: Outcome): void {
    const now = this.#clock.now()
    if (outcome !== 'ok') {
      const { since = now, count = 0 } = this.#failures ?? {}
      this.#failures = { since, count: count + 1, last: outcome }
      return
    }
    this.#failures = undefined
    this.#slowMs = now - startedAt > slowAfterMs ? now - startedAt : 0
  }

  /** What is wrong with it; nothing once a call has gone well again. */
  get warnings(): Warning[] {
    return [...this.#failing(), ...this.#slow()]
  }

  #failing(): Warning[] {
    if (this.#failures === undefined || !isTelling(this.#failures)) return []
    const { since, count, last } = this.#failures
    const calls = count === 1 ? 'a call has ended' : `${count} calls have ended, the last one`
    const message = `The ${this.#kind} endpoint fails: since ${new Date(since).toISOString()} ${calls} with ${last}.`
    return [{ code: `${this.#kind}_endpoint_failing`, message }]
  }

  #slow(): Warning[] {
    const slowMs = Math.max(this.#slowMs, this.#slowestUnderWay())
    if (slowMs === 0) return []
    const message = `The ${this.#kind} endpoint is slow: a call has taken ${Math.round(slowMs / 1000)} s.`
    return [{ code: `${this.#kind}_endpoint_slow`, message }]
  }

  /** How long the slowest of the calls under way has taken that take too long, milliseconds; 0: none does. */
  #slowestUnderWay(): number {
    const now = this.#clock.now()
    const slow = [...this.#underWay].filter(({ startedAt, slowAfterMs }) => now - startedAt > slowAfterMs)
    return Math.max(0, ...slow.map(({ startedAt }) => now - startedAt))
  }
}

const isTelling = ({ last, count }: Failures): boolean => last !== 'refused' || count >= REFUSED_IN_A_ROW
