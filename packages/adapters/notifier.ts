/** Wakes all waiters. It carries no value: they read again. */
export class Notifier {
  readonly #waiting = new Set<() => void>()

  get waiting(): number {
    return this.#waiting.size
  }

  notify(): void {
    const woken = [...this.#waiting]
    this.#waiting.clear()
    for (const wake of woken) wake()
  }

  /** Resolves at the next `notify`, or as soon as the signal is aborted. */
  wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      if (signal === undefined) return void this.#waiting.add(resolve)
      const wake = (): void => {
        this.#waiting.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      this.#waiting.add(wake)
      signal.addEventListener('abort', wake)
    })
  }
}
