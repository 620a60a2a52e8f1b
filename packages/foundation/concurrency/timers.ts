import TinyQueue from 'tinyqueue'
import type { Clock } from '#packages/ports/clock.ts'

type Timer = { at: number; id: string }

/** Wakes things, such as jobs, at instants (milliseconds since 1970). A wake-up may be superfluous, but never late. */
export class Timers {
  readonly #clock: Clock
  readonly #queue = new TinyQueue<Timer>([], (a, b) => a.at - b.at)
  /** The earliest timer of each id. Later ones are dropped. */
  readonly #earliest = new Map<string, number>()
  #sooner = new AbortController()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  set(id: string, at: number): void {
    if ((this.#earliest.get(id) ?? Number.POSITIVE_INFINITY) <= at) return
    this.#earliest.set(id, at)
    const first = this.#queue.peek()
    this.#queue.push({ at, id })
    if (first === undefined || at < first.at) this.#sooner.abort(SOONER)
  }

  /** Calls `wake` for each timer that is due, until the signal is aborted. */
  async run(wake: (id: string) => void, signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#sooner.abort(SOONER), { once: true })
    while (!signal.aborted) {
      for (
        let first = this.#queue.peek();
        first !== undefined && first.at <= this.#clock.now();
        first = this.#queue.peek()
      ) {
        this.#queue.pop()
        if (this.#earliest.get(first.id) !== first.at) continue
        this.#earliest.delete(first.id)
        wake(first.id)
      }
      if (!signal.aborted) await this.#sleep()
    }
  }

  /** Sleeps until the first timer is due, an earlier one is set, or the signal is aborted. The loop checks for each. */
  async #sleep(): Promise<void> {
    this.#sooner = new AbortController()
    const first = this.#queue.peek()
    const ms =
      first === undefined ? LONGEST_SLEEP_MS : Math.min(LONGEST_SLEEP_MS, Math.max(0, first.at - this.#clock.now()))
    await this.#clock.sleep(ms, this.#sooner.signal).catch(() => {})
  }
}

const LONGEST_SLEEP_MS = 60_000

/** One error for all aborts: creating a new one each time costs more than waking a job. */
const SOONER = new Error('something is due sooner')
