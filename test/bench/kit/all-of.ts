/** Does something `count` times, with at most `atOnce` under way. */
export async function allOf(count: number, atOnce: number, act: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const work = async (): Promise<void> => {
    while (next < count) await act(next++)
  }
  await Promise.all(Array.from({ length: Math.min(count, atOnce) }, work))
}

/** Counts ends until the awaited number is reached. */
export class Countdown {
  #left = 0
  #done: () => void = () => {}

  /** Resolves when `one` has been called `count` times from now on. */
  from(count: number): Promise<void> {
    this.#left = count
    return new Promise((resolve) => {
      this.#done = resolve
    })
  }

  one(): void {
    this.#left--
    if (this.#left === 0) this.#done()
  }
}
