type Waiting = { begin(): void }

/**
 * A mutex that is fair to its sharers: one piece of work runs at a time, and sharers take turns. However much one
 * sharer has queued, another waits for at most one piece of it.
 */
export class FairMutex {
  /** The waiting work of each sharer; the next sharer comes first. */
  readonly #queues = new Map<string, Waiting[]>()
  /** The sharer that has the turn; undefined: none. */
  #atWork: string | undefined

  /**
   * Does the work when it is the sharer's turn.
   * @throws what the work throws; the signal's reason if it is aborted before its turn
   */
  async run<T>(sharer: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    if (this.#atWork === undefined) this.#atWork = sharer
    else await this.#turn(sharer, signal)
    try {
      return await work()
    } finally {
      this.#next()
    }
  }

  #turn(sharer: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        const left = (this.#queues.get(sharer) ?? []).filter((one) => one !== mine)
        if (left.length > 0) this.#queues.set(sharer, left)
        else this.#queues.delete(sharer)
        reject(signal.reason)
      }
      const mine: Waiting = {
        begin() {
          signal.removeEventListener('abort', leave)
          resolve()
        },
      }
      this.#queues.set(sharer, [...(this.#queues.get(sharer) ?? []), mine])
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  /** Passes the turn to the next sharer, if there is one; its other work goes to the end of the queue. */
  #next(): void {
    const waiting = [...this.#queues.keys()]
    const sharer = waiting.find((one) => one !== this.#atWork) ?? waiting[0]
    // Set at once, so that no other caller can come in between.
    this.#atWork = sharer
    if (sharer === undefined) return
    const [first, ...rest] = this.#queues.get(sharer) ?? []
    this.#queues.delete(sharer)
    if (rest.length > 0) this.#queues.set(sharer, rest)
    first?.begin()
  }
}
