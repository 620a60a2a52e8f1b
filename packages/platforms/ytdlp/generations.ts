/** Numbers the generations of what is made for each key: a new one begins when the old one has become unusable. */
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

  /** Begins a new generation for the key. No number is used twice, even after a key was dropped. */
  spoil(key: string): void {
    this.#counts.delete(key)
    this.#counts.set(key, ++this.#next)
    const [oldest] = this.#counts.keys()
    if (this.#counts.size > this.#max && oldest !== undefined) this.#counts.delete(oldest)
  }
}
