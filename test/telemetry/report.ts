const secondsSince = (from: number): string => `${Math.round((performance.now() - from) / 1000)} s`

/** Prints a line for each check, and counts them. */
export class Report {
  #passed = 0
  failed = 0
  readonly #leftOut = new Map<string, string[]>()

  /** @param act returns what it saw, which is printed, or throws what is wrong */
  async check(what: string, act: () => string | Promise<string>): Promise<void> {
    const from = performance.now()
    try {
      const seen = await act()
      console.log(`ok   ${what}, ${secondsSince(from)}${seen === '' ? '' : `: ${seen}`}`)
      this.#passed += 1
    } catch (error) {
      this.fail(`${what}, ${secondsSince(from)}`, error)
    }
  }

  fail(what: string, error: unknown): void {
    console.log(`FAIL ${what}: ${error instanceof Error ? error.message : error}`)
    this.failed += 1
  }

  leaveOut(what: string, why: string): void {
    this.#leftOut.set(why, [...(this.#leftOut.get(why) ?? []), what])
  }

  /** Prints what was left out, a line for each cause, and the counts. @returns whether nothing failed */
  end(): boolean {
    for (const [why, whats] of this.#leftOut) console.log(`left out, as ${why}: ${whats.join('; ')}`)
    const skipped = [...this.#leftOut.values()].flat().length
    console.log(`${this.#passed} passed, ${this.failed} failed, ${skipped} skipped`)
    return this.#passed > 0 && this.failed === 0
  }
}
