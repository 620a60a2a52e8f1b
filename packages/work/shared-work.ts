type Shared<T> = { result: Promise<T>; abort: AbortController; waiters: number }

/** One piece of work at a time per key, waited for by any number of callers. */
export class SharedWork<T = void> {
  readonly #running = new Map<string, Shared<T>>()

  /**
   * Joins the work of `key`, or begins it. The work is aborted by the last caller that gives up waiting for it, which
   * then waits until the work has stopped.
   * @throws what the work throws; the signal's reason
   */
  async share(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    const shared = this.#running.get(key) ?? this.#begin(key, work)
    shared.waiters++
    try {
      return await settled(shared.result, signal)
    } finally {
      shared.waiters--
      if (shared.waiters === 0) {
        shared.abort.abort(signal.reason)
        // whoever comes now must not join what has been given up
        if (this.#running.get(key) === shared) this.#running.delete(key)
        // what it ends with has been thrown already, or is not wanted any more
        await shared.result.catch(() => undefined)
      }
    }
  }

  #begin(key: string, work: (signal: AbortSignal) => Promise<T>): Shared<T> {
    const abort = new AbortController()
    const shared: Shared<T> = { result: work(abort.signal), abort, waiters: 0 }
    this.#running.set(key, shared)
    const forget = () => {
      if (this.#running.get(key) === shared) this.#running.delete(key)
    }
    shared.result.then(forget, forget)
    return shared
  }
}

function settled<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
