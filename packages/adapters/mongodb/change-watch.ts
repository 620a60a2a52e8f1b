import type { Clock } from '#packages/ports/clock.ts'

/** Something with a position that grows: a document or a checkpoint. */
export type Watched = { collection: string; id: string }

/** The present positions of these ids of one collection. Ids that do not exist are missing. */
export type ReadPositions = (collection: string, ids: readonly string[]) => Promise<Map<string, number>>

type Waiting = Watched & { above: number; wake: () => void; pace: Pace; pauseMs: number; dueAt: number }

/** The pause before the first look of a wait, and the longest pause between two looks, milliseconds. Pauses double. */
type Pace = { firstMs: number; longestMs: number }

/** For a change that is under way. */
export const soon: Pace = { firstMs: 5, longestMs: 250 }

/** For a change that may take long. Most callers hear of it in another way, and end their wait. */
export const rarely: Pace = { firstMs: 250, longestMs: 1000 }

/** The shortest time between two looks, milliseconds. */
const BETWEEN_LOOKS_MS = 5

/**
 * Polls for the changes that callers wait for. One query per collection covers all that are due, so many waiters cost
 * little. It looks often only for a change that is under way, in pauses that double, because most such waits are short.
 */
export class ChangeWatch {
  readonly #clock: Clock
  readonly #read: ReadPositions
  readonly #waiting = new Set<Waiting>()
  readonly #closed = new AbortController()
  #looking = false
  /** While it sleeps: until when, and the controller that ends the sleep. */
  #asleep: { until: number; end: AbortController } | undefined

  constructor(clock: Clock, read: ReadPositions) {
    this.#clock = clock
    this.#read = read
  }

  /** Ends the sleep if it would last beyond this look. */
  #wakeFor({ dueAt }: Waiting): void {
    if (this.#asleep && dueAt < this.#asleep.until) this.#asleep.end.abort()
  }

  /**
   * Resolves when the position is above this one, after `timeoutMs` milliseconds, or when the signal is aborted.
   * @param pace `soon` or `rarely`
   */
  async wait(watched: Watched, above: number, pace: Pace, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    if (timeoutMs <= 0 || signal?.aborted || this.#closed.signal.aborted) return
    const end = new AbortController()
    const wake = (): void => end.abort()
    const pauseMs = pace.firstMs
    const waiting = { ...watched, above, wake, pace, pauseMs, dueAt: this.#clock.now() + pauseMs }
    this.#waiting.add(waiting)
    this.#wakeFor(waiting)
    signal?.addEventListener('abort', wake)
    void this.#look()
    // Only the abort rejects it.
    await this.#clock.sleep(timeoutMs, end.signal).catch(() => undefined)
    signal?.removeEventListener('abort', wake)
    this.#waiting.delete(waiting)
  }

  async #look(): Promise<void> {
    if (this.#looking) return
    this.#looking = true
    for (let earliest = 0; this.#waiting.size > 0 && !this.#closed.signal.aborted; ) {
      await this.#sleepUntil(Math.max(earliest, Math.min(...[...this.#waiting].map(({ dueAt }) => dueAt))))
      const due = [...this.#waiting].filter(({ dueAt }) => dueAt <= this.#clock.now())
      if (due.length === 0) continue
      // A failed look is repeated. When a wait times out, the caller reads once more and gets the error then.
      await this.#lookFor(due).catch(() => undefined)
      earliest = this.#clock.now() + BETWEEN_LOOKS_MS
      for (const each of due) {
        each.pauseMs = Math.min(each.pauseMs * 2, each.pace.longestMs)
        each.dueAt = this.#clock.now() + each.pauseMs
      }
    }
    this.#looking = false
  }

  /** Sleeps until then, or until a new waiter is due earlier. */
  async #sleepUntil(until: number): Promise<void> {
    const end = new AbortController()
    this.#asleep = { until, end }
    const signal = AbortSignal.any([end.signal, this.#closed.signal])
    await this.#clock.sleep(Math.max(0, until - this.#clock.now()), signal).catch(() => undefined)
    this.#asleep = undefined
  }

  async #lookFor(due: readonly Waiting[]): Promise<void> {
    for (const [collection, waiting] of Map.groupBy(due, (each) => each.collection)) {
      const positions = await this.#read(collection, [...new Set(waiting.map(({ id }) => id))])
      for (const { id, above, wake } of waiting) if ((positions.get(id) ?? 0) > above) wake()
    }
  }

  /** Wakes all waiters and accepts no more. */
  close(): void {
    this.#closed.abort()
    for (const { wake } of this.#waiting) wake()
  }
}
