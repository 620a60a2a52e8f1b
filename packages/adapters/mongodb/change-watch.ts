import type { Clock } from '#packages/ports/clock.ts'

/** Something with a position that grows: a document or a checkpoint. */
export type Watched = { collection: string; id: string }

/** The present positions of these ids of one collection; ids that do not exist are missing. */
export type ReadPositions = (collection: string, ids: readonly string[]) => Promise<Map<string, number>>

type Waiting = Watched & { above: number; wake: () => void; pauseMs: number; dueAt: number }

/** The time from the beginning of a wait to its first look, and the shortest time between two looks, milliseconds. */
const SHORTEST_PAUSE_MS = 10

/**
 * Polls for the changes that callers wait for. One query for each collection looks at all that are due, so that many
 * waiters cost little. The first look comes soon after a wait begins, the next in pauses that double up to the longest:
 * most waits are short.
 */
export class ChangeWatch {
  readonly #clock: Clock
  readonly #read: ReadPositions
  readonly #longestPauseMs: number
  readonly #waiting = new Set<Waiting>()
  readonly #closed = new AbortController()
  #looking = false
  /** While it sleeps: until when, and the controller that ends the sleep. */
  #asleep: { until: number; end: AbortController } | undefined

  constructor(clock: Clock, read: ReadPositions, longestPauseMs: number) {
    this.#clock = clock
    this.#read = read
    this.#longestPauseMs = longestPauseMs
  }

  /** Resolves when the position is above this one, after `timeoutMs` milliseconds, or when the signal is aborted. */
  async wait(watched: Watched, above: number, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    if (timeoutMs <= 0 || signal?.aborted || this.#closed.signal.aborted) return
    const end = new AbortController()
    const wake = (): void => end.abort()
    const pauseMs = Math.min(SHORTEST_PAUSE_MS, this.#longestPauseMs)
    const waiting = { ...watched, above, wake, pauseMs, dueAt: this.#clock.now() + pauseMs }
    this.#waiting.add(waiting)
    if (this.#asleep && waiting.dueAt < this.#asleep.until) this.#asleep.end.abort()
    signal?.addEventListener('abort', wake)
    void this.#look()
    // Rejected only by the abort.
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
      // A failed look is repeated. At its timeout the caller reads once more, and gets the error then.
      await this.#lookFor(due).catch(() => undefined)
      earliest = this.#clock.now() + SHORTEST_PAUSE_MS
      for (const each of due) {
        each.pauseMs = Math.min(each.pauseMs * 2, this.#longestPauseMs)
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

  /** Wakes all waiters; from now on nobody waits. */
  close(): void {
    this.#closed.abort()
    for (const { wake } of this.#waiting) wake()
  }
}
