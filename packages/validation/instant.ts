const form = /^(?!0000)(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i

/** An instant with its time zone as RFC 3339 writes it, milliseconds since 1970; undefined for anything else. */
export function instantOf(text: string): number | undefined {
  const [, day] = form.exec(text) ?? []
  const instant = Date.parse(text)
  return day === undefined || Number.isNaN(instant) || !isOnCalendar(day) ? undefined : instant
}

/** Whether the month has this day: for JavaScript February 30 is March 2. @param day such as 2026-11-21 */
export const isOnCalendar = (day: string): boolean =>
  !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day)
