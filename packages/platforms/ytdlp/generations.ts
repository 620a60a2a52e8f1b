/** Counts, for each recently used key, how often what was made for it turned out to be unusable. */
export class Generations {
  readonly #max: number
  readonly #counts = new Map<string, number>()
  #next = 0

  constructor(max: number) {
    this.#max = max
  }

  of(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  /** What was made for this key before is not to be used again. Never gives a number twice, also after forgetting. */
  spoil(key: string): void {
    this.#counts.delete(key)
    this.#counts.set(key, ++this.#next)
    const [oldest] = this.#counts.keys()
    if (this.#counts.size > this.#max && oldest !== undefined) this.#counts.delete(oldest)
  }
}
