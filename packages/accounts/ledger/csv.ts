import type { CreditsTransaction } from '#contracts/generated/http.ts'
import { dayOf } from '#packages/events/views/daily-use.ts'
import type { UsageDays } from './sum-usage.ts'

const columns = [
  'createdAt',
  'type',
  'amount',
  'balance',
  'reason',
  'jobId',
  'operation',
  'keyId',
] as const satisfies readonly (keyof CreditsTransaction)[]

type Field = string | number | null

/** Text that a spreadsheet takes for a formula. Invisible characters may come first, and the signs may be wide. */
const formula = /^[\s\p{C}]*[=+\-@＝＋－＠]|^[\t\r\n]/u
const number = /^-?(\d+(\.\d+)?(e[+-]?\d+)?|Infinity)$/i

/** Text that becomes a formula at the start of another cell, if a spreadsheet separates cells by semicolons or tabs. */
const formulaInside = /(?<=[;\t\r\n])(?=[^\S\t\r\n]*[=+\-@＝＋－＠])/gu

/** Quotes a field if RFC 4180 requires it. An apostrophe before a formula makes it a text; numbers stay numbers. */
function fieldOf(value: Field): string {
  const given = String(value ?? '')
  const inside = given.replaceAll(formulaInside, "'")
  const text = formula.test(given) && !number.test(given) ? `'${inside}` : inside
  return /[",\r\n]/.test(text) || text !== given ? `"${text.replaceAll('"', '""')}"` : text
}

/** One line of CSV, without its end. */
export const csvLine = (row: readonly Field[]): string => row.map(fieldOf).join(',')

const linesOf = (rows: readonly (readonly Field[])[]): string => rows.map((row) => `${csvLine(row)}\r\n`).join('')

/** Transactions as CSV (RFC 4180), with a header line. Null is empty. */
export const csvOf = (transactions: readonly CreditsTransaction[]): string =>
  linesOf([columns, ...transactions.map((line) => columns.map((column) => line[column]))])

/** The usage of each day and operation as CSV, oldest first, with a header line. */
export function usageCsvOf({ days }: UsageDays): string {
  const rows = days.toReversed().flatMap(({ startsAt, operation }) =>
    Object.entries(operation).map(([name, { jobs, charged, refunded }]) => {
      return [dayOf(startsAt), name, jobs, charged, refunded]
    }),
  )
  return linesOf([['day', 'operation', 'jobs', 'creditsCharged', 'creditsRefunded'], ...rows])
}
