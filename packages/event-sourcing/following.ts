import type { Clock } from '#packages/ports/clock.ts'

/** How a follower of the feed stands, for operators. */
export class Following {
  readonly #clock: Clock
  #behindSince: number | undefined = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** To be told after every batch, and when it stops. */
  note(isCaughtUp: boolean): void {
    if (isCaughtUp) this.#behindSince = undefined
    else this.#behindSince ??= this.#clock.now()
  }

  /** For how long it has been behind, milliseconds: since ever, at first; undefined: it has caught up. */
  get behindMs(): number | undefined {
    return this.#behindSince === undefined ? undefined : this.#clock.now() - this.#behindSince
  }
}
