/** A longer pause between events counts as only this much, milliseconds, because the service may have been stopped. */
const COUNTED_MS = 10_000

/** The number of pauses in memory: enough for the last jobs. */
const REMEMBERED = 10_000

/**
 * How long the service was running between two instants, as far as events show. A pause without any event counts for
 * ten seconds at most. So a job that ends late because the service was stopped is not late.
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
      // The instant may be within the pause, so only the part after it is subtracted.
      if (pause.to <= to) workedMs -= Math.min(pause.excessMs, Math.max(0, pause.to - from - COUNTED_MS))
    }
    return workedMs
  }
}
