/** At most so many at once; the others wait, in order. */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(most: number) {
    this.#free = most
  }

  /** Resolves when it is the caller's turn, which ends with `using`. */
  async next(): Promise<Disposable> {
    if (this.#free > 0) this.#free--
    else
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve)
      })
    return { [Symbol.dispose]: () => this.#end() }
  }

  /** The turn goes to the one that waits longest. */
  #end(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free++
    else next()
  }
}
