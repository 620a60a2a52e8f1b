import type { Warned, Warning } from '#packages/foundation/readiness/readiness.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Outcome } from './outcome.ts'

/** After this many refusals of the form in a row, the problem is no longer a single request. */
const REFUSED_IN_A_ROW = 3

/** A call under way. */
type Call = { startedAt: number; slowAfterMs: number }

type Failures = { since: number; count: number; last: Outcome }

/** The health of an endpoint, by its latest calls: whether they fail, or take too long. */
export class EndpointHealth implements Warned {
  readonly #clock: Clock
  readonly #kind: string
  readonly #underWay = new Set<Call>()
  #failures: Failures | undefined
  /** Duration of the latest successful call, if that was too long, milliseconds; else 0. */
  #slowMs = 0

  /** @param kind the word before "endpoint", such as `speech` */
  constructor(clock: Clock, kind: string) {
    this.#clock = clock
    this.#kind = kind
  }

  /** A call begins. @returns a function to call with its outcome */
  begin(slowAfterMs: number): (outcome: Outcome) => void {
    const call = { startedAt: this.#clock.now(), slowAfterMs }
    this.#underWay.add(call)
    return (outcome) => {
      this.#underWay.delete(call)
      // A cancelled call says nothing about the endpoint.
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

  /** The problems of the endpoint. None once a call has succeeded again. */
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

  /** The longest duration of the slow calls under way, milliseconds. 0: none is slow. */
  #slowestUnderWay(): number {
    const now = this.#clock.now()
    const slow = [...this.#underWay].filter(({ startedAt, slowAfterMs }) => now - startedAt > slowAfterMs)
    return Math.max(0, ...slow.map(({ startedAt }) => now - startedAt))
  }
}

const isTelling = ({ last, count }: Failures): boolean => last !== 'refused' || count >= REFUSED_IN_A_ROW
