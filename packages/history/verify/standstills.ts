/** A pause between events that is longer than this, milliseconds, counts as so much: perhaps nothing was running. */
const COUNTED_MS = 10_000

/** Pauses that are remembered: those of the last jobs. */
const REMEMBERED = 10_000

/**
 * How long the service was at work between two instants, as far as events tell: a pause in which nothing at all was
 * recorded counts for ten seconds at most. So a job that ends late because the service was stopped is not late.
 */
export class Standstills {
  #pauses: { to: number; excessMs: number }[] = []
  /** The newest recorded time, milliseconds since 1970. */
  last = Number.NEGATIVE_INFINITY

  note(recordedAt: number): void {
    const pauseMs = recordedAt - this.last
    if (pauseMs > COUNTED_MS && this.last > 0) {
      this.#pauses.push({ to: recordedAt, excessMs: pauseMs - COUNTED_MS })
      if (this.#pauses.length > 2 * REMEMBERED) this.#pauses = this.#pauses.slice(-REMEMBERED)
    }
    if (pauseMs > 0) this.last = recordedAt
  }

  /** Milliseconds. */
  workedBetween(from: number, to: number): number {
    let workedMs = to - from
    for (let index = this.#pauses.length - 1; index >= 0; index--) {
      const pause = this.#pauses[index]
      if (pause === undefined || pause.to <= from) break
      // The instant may lie in the pause itself: no more than what is after it is taken off.
      if (pause.to <= to) workedMs -= Math.min(pause.excessMs, Math.max(0, pause.to - from - COUNTED_MS))
    }
    return workedMs
  }
}
