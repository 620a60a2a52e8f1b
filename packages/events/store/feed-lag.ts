import type { Clock } from '#packages/ports/clock.ts'

/** How long a follower has been behind the feed, for operators. */
export class FeedLag {
  readonly #clock: Clock
  #behindSince: number | undefined = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Called after every batch, and with `false` when the follower stops. */
  note(isCaughtUp: boolean): void {
    if (isCaughtUp) this.#behindSince = undefined
    else this.#behindSince ??= this.#clock.now()
  }

  /**
   * Milliseconds since the follower fell behind: infinite before it first caught up, undefined while it is caught up.
   */
  get behindMs(): number | undefined {
    return this.#behindSince === undefined ? undefined : this.#clock.now() - this.#behindSince
  }
}
