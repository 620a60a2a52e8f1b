/** Everything that happened in a run, in order, as one hash, and on request as text. */
export class Trace {
  #one = 0xdeadbeef
  #other = 0x41c6ce57
  readonly #lines: string[] | undefined
  readonly #time: () => number

  constructor(time: () => number, keepsLines: boolean) {
    this.#time = time
    this.#lines = keepsLines ? [] : undefined
  }

  /** Adds what must be the same whenever the seed is run. */
  add(who: string, what: string): void {
    const time = this.#time()
    this.mix(`${time} ${who} ${what}`)
    this.#lines?.push(`${(time / 1000).toFixed(3).padStart(9)}  ${who.padEnd(18)} ${what}`)
  }

  get hash(): string {
    return (this.#one >>> 0).toString(16).padStart(8, '0') + (this.#other >>> 0).toString(16).padStart(8, '0')
  }

  get lines(): readonly string[] {
    return this.#lines ?? []
  }

  /** Adds to the hash only. */
  mix(text: string): void {
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index)
      this.#one = Math.imul(this.#one ^ code, 2654435761)
      this.#other = Math.imul(this.#other ^ code, 1597334677)
    }
    this.#one ^= this.#other >>> 15
    this.#other ^= this.#one >>> 13
  }
}
