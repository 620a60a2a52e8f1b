import type { Plain } from '../run-query.ts'

const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 })
const dayAndMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const monthOnly = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' })

/** A column's name, or a code, in words. */
export const labelOf = (column: string): string => column.replaceAll('_', ' ').replace(/\busd\b/, 'USD')

const compact = new Intl.NumberFormat('en-US', { notation: 'compact' })

/** From here on seconds are told in hours. */
const MANY_SECONDS = 7200

/** A number with the unit that its column is in. */
export const formatNumber = (value: number, column: string): string => withUnit(value, column, numbers)

/** The same in a few characters, for axes: `$1.2K`. */
export const formatTick = (value: number, column: string): string => withUnit(value, column, compact)

function withUnit(value: number, column: string, format: Intl.NumberFormat): string {
  const [size, sign] = [Math.abs(value), value < 0 ? '−' : '']
  if (/(^|_)usd$/.test(column)) return `${sign}$${format.format(size)}`
  if (/(^|_)percent$/.test(column)) return `${sign}${format.format(size)} %`
  if (/(^|_)hours$/.test(column)) return `${sign}${format.format(size)} h`
  if (!/(^|_)seconds(_|$)/.test(column)) return sign + format.format(size)
  return size < MANY_SECONDS ? `${sign}${format.format(size)} s` : `${sign}${format.format(size / 3600)} h`
}

export function formatCell(value: Plain, column: string): string {
  if (value === null) return '–'
  if (typeof value === 'number') return formatNumber(value, column)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'object' ? JSON.stringify(value) : value
}

/** Characters of a name in a sentence. */
const MAX_NAME = 40

/** Months, days and times as texts of the tables. */
const aTime = /^\d{4}-\d\d(-\d\d( \d\d:\d\d:\d\d(\.\d+)?)?)?$/

/** The instant of such a text; undefined for any other. */
export const instantOf = (text: string): number | undefined =>
  aTime.test(text) ? Date.parse(text.length === 19 ? `${text.replace(' ', 'T')}Z` : text) : undefined

export const formatDay = (instant: number): string => dayAndMonth.format(instant)

/** A place on an axis in full: `May 2026`, `16 Jun 2026 14:00`. */
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
  const word = /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(text) ? text.slice(0, 8) : labelOf(text)
  return word.length > most ? `${word.slice(0, most - 1)}…` : word
}
