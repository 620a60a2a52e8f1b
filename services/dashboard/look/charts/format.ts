const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 })
const dayAndMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const monthOnly = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' })

/** A column's name or a code, as words. */
export const labelOf = (column: string): string => column.replaceAll('_', ' ').replace(/\busd\b/, 'USD')

const compact = new Intl.NumberFormat('en-US', { notation: 'compact' })

/** A column's name as words, without its unit of time: each number is shown in the unit that fits. */
export const nameOf = (column: string): string => labelOf(column.replace(/_(seconds|hours)$/, ''))

/** Units of time in seconds. Each is used from about two of it on. */
const units = [
  { name: 'd', seconds: 86_400, from: 172_800 },
  { name: 'h', seconds: 3600, from: 7200 },
  { name: 'min', seconds: 60, from: 120 },
  { name: 's', seconds: 1, from: 0 },
] as const

/** A number with the unit of its column. */
export const formatNumber = (value: number, column: string): string => withUnit(value, column, numbers, value)

/**
 * A short number for axes: `$1.2K`.
 * @param largest number of the axis: its unit is used for all
 */
export const formatTick = (value: number, column: string, largest: number): string =>
  withUnit(value, column, compact, largest)

function withUnit(value: number, column: string, format: Intl.NumberFormat, largest: number): string {
  const [size, sign] = [Math.abs(value), value < 0 ? '−' : '']
  if (/(^|_)usd$/.test(column)) return `${sign}$${format.format(size)}`
  if (/(^|_)percent$/.test(column)) return `${sign}${format.format(size)} %`
  const inSeconds = /(^|_)hours$/.test(column) ? 3600 : /(^|_)seconds(_|$)/.test(column) ? 1 : undefined
  if (inSeconds === undefined) return sign + format.format(size)
  const unit = units.find(({ from }) => Math.abs(largest) * inSeconds >= from)
  return `${sign}${format.format((size * inSeconds) / (unit?.seconds ?? 1))} ${unit?.name ?? 's'}`
}

/** The most characters of a name in a sentence. */
const MAX_NAME = 40

/** Months, days and times as the tables write them. */
const aTime = /^\d{4}-\d\d(-\d\d( \d\d:\d\d:\d\d(\.\d+)?)?)?$/

/** The instant of a month, day or time. Undefined for any other text. */
export const instantOf = (text: string): number | undefined =>
  aTime.test(text) ? Date.parse(text.length === 19 ? `${text.replace(' ', 'T')}Z` : text) : undefined

export const formatDay = (instant: number): string => dayAndMonth.format(instant)

/** A place on an axis, long: `May 2026`, `16 Jun 2026 14:00`. */
export function longOf(text: string): string {
  const instant = instantOf(text)
  if (instant === undefined) return shortOf(text, MAX_NAME)
  if (text.length === 7) return `${monthOnly.format(instant)} ${text.slice(0, 4)}`
  return `${formatDay(instant)} ${text.slice(0, 4)}${text.slice(10, 16)}`
}

/** A place on an axis, short: `Jan ’26`, `5 Jan`, or the beginning of an id. */
export function shortOf(text: string, most: number): string {
  const instant = instantOf(text)
  if (instant !== undefined)
    return text.length === 7 ? `${monthOnly.format(instant)} ’${text.slice(2, 4)}` : formatDay(instant)
  const word = /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(text) ? text.slice(0, 8) : nameOf(text)
  return word.length > most ? `${word.slice(0, most - 1)}…` : word
}
