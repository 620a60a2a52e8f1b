/** A semaphore: a limited number work at once, and the others wait in order. */
export class Semaphore {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(most: number) {
    this.#free = most
  }

  /** Resolves when the caller has a permit. `using` releases it. */
  async acquire(): Promise<Disposable> {
    if (this.#free > 0) this.#free--
    else
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve)
      })
    return { [Symbol.dispose]: () => this.#end() }
  }

  /** The permit goes to the caller that has waited longest. */
  #end(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free++
    else next()
  }
}
