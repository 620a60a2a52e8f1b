/** The pause between two lines of progress, milliseconds. */
const TELL_EVERY_MS = 5000

/** Shows on standard error how far a long read is. Prints nothing for a short one. */
export class Progress {
  readonly #from = performance.now()
  #toldAt = performance.now()

  /** @param events read so far */
  tell(events: number): void {
    const now = performance.now()
    if (now - this.#toldAt < TELL_EVERY_MS) return
    this.#toldAt = now
    console.error(`${this.#rate(events)} so far`)
  }

  /** Prints a line about the whole read, if it was long. */
  end(events: number): void {
    if (performance.now() - this.#from < TELL_EVERY_MS) return
    console.error(`${this.#rate(events)} in ${((performance.now() - this.#from) / 1000).toFixed(1)} s`)
  }

  #rate(events: number): string {
    const perSecond = Math.round((events * 1000) / Math.max(1, performance.now() - this.#from))
    return `${events.toLocaleString('en-US')} events, ${perSecond.toLocaleString('en-US')} a second,`
  }
}
