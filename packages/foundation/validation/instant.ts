const form = /^(?!0000)(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i

/** An RFC 3339 instant with its time zone, milliseconds since 1970. Undefined for anything else. */
export function instantOf(text: string): number | undefined {
  const [, day] = form.exec(text) ?? []
  const instant = Date.parse(text)
  return day === undefined || Number.isNaN(instant) || !isDay(day) ? undefined : instant
}

/** Whether a text is a day of the calendar, such as 2026-11-21. JavaScript alone reads February 30 as March 2. */
export const isDay = (text: string): boolean =>
  /^(?!0000)\d{4}-\d\d-\d\d$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(text).toISOString().startsWith(text)
