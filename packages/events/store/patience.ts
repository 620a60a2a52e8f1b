/** How many times `silenceMs` a call may exceed its time, even if the store answers other callers. */
const MOST_SILENCES = 5

/**
 * Shared by the callers of one store. The store may be slow, and answer others of them first. So each caller waits
 * until none of their appends has been answered for `silenceMs`.
 */
export class Patience {
  readonly #silenceMs: number
  /** Milliseconds since 1970. */
  #answeredAt = 0

  constructor(silenceMs: number) {
    this.#silenceMs = silenceMs
  }

  /** @param at milliseconds since 1970 */
  answered(at: number): void {
    this.#answeredAt = at
  }

  /** When to give up a call that is due at `giveUpAt`; both milliseconds since 1970. */
  until(giveUpAt: number): number {
    const longer = Math.max(giveUpAt, this.#answeredAt + this.#silenceMs)
    return Math.min(longer, giveUpAt + MOST_SILENCES * this.#silenceMs)
  }
}
