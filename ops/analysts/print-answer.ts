import { csvLine } from '#packages/accounts/ledger/csv.ts'
import { printable } from '#packages/foundation/printable/printable.ts'
import type { Answer, Plain } from './run-query.ts'

/** The most rows that people are shown. Programs get all. */
const MAX_ROWS = 1000

/** The most characters in a cell. */
const MAX_CELL = 60

type Output = { print: (line: string) => void; tell: (line: string) => void }

/** Prints the rows: as a table for people, as CSV with a header, or as one JSON object per line. */
export async function printAnswer(answer: Answer, format: 'table' | 'csv' | 'json', output: Output): Promise<void> {
  if (format === 'table') return printTable(answer, output)
  const { columns, pages } = answer
  if (format === 'csv') output.print(csvLine(columns))
  for await (const page of pages)
    for (const row of page)
      output.print(format === 'csv' ? csvLine(row.map(csvValue)) : JSON.stringify(objectOf(columns, row)))
}

const objectOf = (columns: readonly string[], row: readonly Plain[]): Record<string, Plain> =>
  Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null]))

const textOf = (value: Plain): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))

const csvValue = (value: Plain): string | null => (value === null ? null : textOf(value))

async function printTable({ columns, pages }: Answer, { print, tell }: Output): Promise<void> {
  const rows: (readonly Plain[])[] = []
  for await (const page of pages) {
    rows.push(...page)
    if (rows.length > MAX_ROWS) break
  }
  const shown = rows.slice(0, MAX_ROWS)
  const cells = shown.map((row) => row.map((value) => (value === null ? 'NULL' : cellOf(textOf(value)))))
  const heads = columns.map(cellOf)
  const widths = heads.map((head, at) => Math.max(head.length, ...cells.map((row) => row[at]?.length ?? 0)))
  const isNumber = columns.map((_, at) => shown.every((row) => row[at] === null || typeof row[at] === 'number'))
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, at) => (isNumber[at] ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd()
  print(line(heads))
  print(widths.map((width) => '─'.repeat(width)).join('  '))
  for (const row of cells) print(line(row))
  if (rows.length > MAX_ROWS) tell(`these are the first ${MAX_ROWS} rows: --csv and --json give all of them`)
  else tell(shown.length === 1 ? '1 row' : `${shown.length} rows`)
}

/** A text on a single line. */
function cellOf(text: string): string {
  const whole = printable(text)
  return whole.length > MAX_CELL ? `${whole.slice(0, MAX_CELL - 1)}…` : whole
}
