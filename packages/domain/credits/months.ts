/**
 * The month, YYYY-MM, of an instant in UTC (milliseconds since 1970). It must be fast: every poll of an ended job calls
 * it.
 */
export function periodOf(instant: number): string {
  const date = new Date(instant)
  // This takes a fifth of the time of toISOString.
  return `${date.getUTCFullYear()}-${String(date.getUTCMonth() + 1).padStart(2, '0')}`
}

/** The first instant of a month, YYYY-MM, in UTC; milliseconds since 1970. */
export const startOf = (period: string): number => Date.parse(period)

export function monthAfter(period: string): string {
  const start = new Date(startOf(period))
  return periodOf(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1))
}

/** How many months a ledger remembers. */
const MAX_MONTHS = 24

/** Adds a month to those that have begun in a ledger. Oldest first; only the newest are kept. */
export const withMonth = (months: readonly string[], period: string): string[] =>
  [...new Set([...months, period])].sort().slice(-MAX_MONTHS)

/** Whether a month may begin. Each month begins once. None begins that is older than the oldest remembered one. */
export const mayBegin = (months: readonly string[], period: string): boolean =>
  period > (months[0] ?? '') && !months.includes(period)
