/** The most requests of one organization in this process that wait at once for the end of the job that they began. */
export const MOST_WAITS = 10

/** Counts the requests that wait for the end of the job that they began. Waiting polls have a limit of their own. */
export class EndWaits {
  readonly #waiting = new Map<string, number>()

  /** @returns a function to be called once, when the wait is over; undefined if there are too many */
  begin(orgId: string): (() => void) | undefined {
    const waiting = this.#waiting.get(orgId) ?? 0
    if (waiting >= MOST_WAITS) return undefined
    this.#waiting.set(orgId, waiting + 1)
    return () => this.#end(orgId)
  }

  #end(orgId: string): void {
    const left = (this.#waiting.get(orgId) ?? 1) - 1
    if (left === 0) this.#waiting.delete(orgId)
    else this.#waiting.set(orgId, left)
  }
}
