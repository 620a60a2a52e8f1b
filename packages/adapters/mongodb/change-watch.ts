import type { Clock } from '#packages/ports/clock.ts'

/** Something with a position that grows: a document or a checkpoint. */
export type Watched = { collection: string; id: string }

/** The positions that these of one collection have now, by id; what does not exist is missing. */
export type ReadPositions = (collection: string, ids: readonly string[]) => Promise<Map<string, number>>

type Waiting = Watched & { above: number; wake: () => void }

/** Looks at everything that is waited for at once, so that many who wait cost one query for each collection. */
export class ChangeWatch {
  readonly #clock: Clock
  readonly #read: ReadPositions
  readonly #everyMs: number
  readonly #waiting = new Set<Waiting>()
  readonly #closed = new AbortController()
  #looking = false

  constructor(clock: Clock, read: ReadPositions, everyMs: number) {
    this.#clock = clock
    this.#read = read
    this.#everyMs = everyMs
  }

  /** Resolves when the position is seen above this one, `timeoutMs` milliseconds are over, or the signal is aborted. */
  async wait(watched: Watched, above: number, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    if (timeoutMs <= 0 || signal?.aborted || this.#closed.signal.aborted) return
    const end = new AbortController()
    const wake = (): void => end.abort()
    const waiting = { ...watched, above, wake }
    this.#waiting.add(waiting)
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
    while (this.#waiting.size > 0 && !this.#closed.signal.aborted) {
      await this.#clock.sleep(this.#everyMs, this.#closed.signal).catch(() => undefined)
      // Not seen now, seen later: who waits reads once more when its time is over, and is told then what is wrong.
      await this.#lookOnce().catch(() => undefined)
    }
    this.#looking = false
  }

  async #lookOnce(): Promise<void> {
    for (const [collection, waiting] of Map.groupBy(this.#waiting, (each) => each.collection)) {
      const positions = await this.#read(collection, [...new Set(waiting.map(({ id }) => id))])
      for (const { id, above, wake } of waiting) if ((positions.get(id) ?? 0) > above) wake()
    }
  }

  /** Wakes everybody; nobody waits from now on. */
  close(): void {
    this.#closed.abort()
    for (const { wake } of this.#waiting) wake()
  }
}
