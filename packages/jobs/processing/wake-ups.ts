import type { Clock } from '#packages/ports/clock.ts'

/** A call that is due at an instant, milliseconds since 1970. */
export type WakeUp = { readonly at: number; readonly act: () => void }

/** How late a clock that was set forward is noticed, milliseconds. */
const LONGEST_SLEEP_MS = 1000

/** One error for all aborts: making a new one each time costs more than the rest. */
const SOONER = new Error('something is due sooner')

/**
 * Calls back at instants, with one timer for all. An attempt has two wake-ups, and nearly always cancels both long
 * before they are due.
 */
export class WakeUps implements Disposable {
  readonly #clock: Clock
  readonly #waiting = new Set<WakeUp>()
  #timer = new AbortController()
  #timerAt = Number.POSITIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @param act called once, at the instant or soon after. It must not throw */
  set(at: number, act: () => void): WakeUp {
    const wakeUp = { at, act }
    this.#waiting.add(wakeUp)
    this.#wakeBy(at)
    return wakeUp
  }

  cancel(wakeUp: WakeUp): void {
    this.#waiting.delete(wakeUp)
  }

  [Symbol.dispose](): void {
    this.#waiting.clear()
    this.#timer.abort(SOONER)
  }

  #wakeBy(at: number): void {
    if (at >= this.#timerAt) return
    this.#timer.abort(SOONER)
    const timer = new AbortController()
    const now = this.#clock.now()
    this.#timer = timer
    this.#timerAt = Math.min(at, now + LONGEST_SLEEP_MS)
    this.#clock.sleep(Math.max(0, this.#timerAt - now), timer.signal).then(
      () => this.#ring(),
      () => {},
    )
  }

  #ring(): void {
    this.#timerAt = Number.POSITIVE_INFINITY
    const now = this.#clock.now()
    let next = Number.POSITIVE_INFINITY
    for (const wakeUp of this.#waiting) {
      if (wakeUp.at > now) next = Math.min(next, wakeUp.at)
      else {
        this.#waiting.delete(wakeUp)
        wakeUp.act()
      }
    }
    if (next < Number.POSITIVE_INFINITY) this.#wakeBy(next)
  }
}
