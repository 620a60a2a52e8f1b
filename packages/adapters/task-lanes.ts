import { type Lane, lanes } from '#packages/domain/job/events.ts'

type Taker<T> = { owner: unknown; give(item: T): void; end(reason: Error): void }

/** The tasks of one step that wait for takers, or the takers that wait for tasks: never both. */
export class TaskLanes<T> {
  readonly #waiting: Record<Lane, T[]> = { priority: [], standard: [], bulk: [] }
  readonly #takers = new Set<Taker<T>>()

  /** How many tasks wait in a lane. */
  count(lane: Lane): number {
    return this.#waiting[lane].length
  }

  put(lane: Lane, item: T): void {
    const [taker] = this.#takers
    if (taker === undefined) this.#waiting[lane].push(item)
    else taker.give(item)
  }

  /**
   * The next task of lane `first`, otherwise of the other lanes in order. Waits if there is none.
   * @param owner the consumer that takes; see `end`
   * @throws the signal's reason when it is aborted
   */
  async take(first: Lane, signal: AbortSignal, owner?: unknown): Promise<T> {
    signal.throwIfAborted()
    for (const lane of [first, ...lanes]) {
      const item = this.#waiting[lane].shift()
      if (item !== undefined) return item
    }
    return this.#wait(signal, owner)
  }

  /** Drops the waiting tasks for which `fits` returns true. */
  drop(fits: (item: T) => boolean): void {
    for (const lane of lanes) this.#waiting[lane] = this.#waiting[lane].filter((item) => !fits(item))
  }

  /** Rejects the waiting takers of one owner; without an owner, all. */
  end(reason: Error, owner?: unknown): void {
    const ended = [...this.#takers].filter((taker) => owner === undefined || taker.owner === owner)
    for (const taker of ended) taker.end(reason)
  }

  #wait(signal: AbortSignal, owner: unknown): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#takers.delete(taker)
        signal.removeEventListener('abort', onAbort)
      }
      const onAbort = (): void => taker.end(signal.reason)
      const taker: Taker<T> = {
        owner,
        give: (item) => {
          leave()
          resolve(item)
        },
        end: (reason) => {
          leave()
          reject(reason)
        },
      }
      this.#takers.add(taker)
      signal.addEventListener('abort', onAbort)
    })
  }
}
