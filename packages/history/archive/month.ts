/**
 * Finds the month of an instant in UTC, such as `2026-11`. Fast for instants in ascending or nearly ascending order.
 */
export class Months {
  #month = ''
  #from = 0
  #to = 0

  /** @param instant milliseconds since 1970 */
  of(instant: number): string {
    if (instant >= this.#from && instant < this.#to) return this.#month
    const date = new Date(instant)
    this.#month = date.toISOString().slice(0, 7)
    this.#from = Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
    this.#to = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
    return this.#month
  }
}
