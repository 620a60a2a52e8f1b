const form = /^(?!0000)(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i

/** An RFC 3339 instant with its time zone, milliseconds since 1970. Undefined for anything else. */
export function instantOf(text: string): number | undefined {
  const [, day] = form.exec(text) ?? []
  const instant = Date.parse(text)
  return day === undefined || Number.isNaN(instant) || !isOnCalendar(day) ? undefined : instant
}

/** Whether the month has this day: JavaScript reads February 30 as March 2. @param day such as 2026-11-21 */
export const isOnCalendar = (day: string): boolean =>
  !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day)
