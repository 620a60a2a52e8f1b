/** The month of an instant (milliseconds since 1970), YYYY-MM in UTC. Every poll of an ended job asks for it. */
export function periodOf(instant: number): string {
  const date = new Date(instant)
  // A fifth of the time that toISOString takes.
  return `${date.getUTCFullYear()}-${String(date.getUTCMonth() + 1).padStart(2, '0')}`
}

/** The first instant of a month, YYYY-MM, in UTC; milliseconds since 1970. */
export const startOf = (period: string): number => Date.parse(period)

export function monthAfter(period: string): string {
  const start = new Date(startOf(period))
  return periodOf(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1))
}

/** The most months that a ledger remembers. */
const MAX_MONTHS = 24

/** Months that have begun in a ledger, and one more. Oldest first; the newest ones are kept. */
export const withMonth = (months: readonly string[], period: string): string[] =>
  [...new Set([...months, period])].sort().slice(-MAX_MONTHS)

/** Whether a month may begin: each does once, and none before the oldest that is remembered. */
export const mayBegin = (months: readonly string[], period: string): boolean =>
  period > (months[0] ?? '') && !months.includes(period)
