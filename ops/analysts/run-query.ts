import {
  DuckDBArrayValue,
  type DuckDBConnection,
  DuckDBDecimalValue,
  DuckDBListValue,
  type DuckDBPreparedStatement,
  type DuckDBResult,
  DuckDBStructValue,
  type DuckDBValue,
  StatementType,
} from '@duckdb/node-api'
import { assertOnlyReads } from './assert-only-reads.ts'

/** A value that JSON can hold. Times, and numbers too large for JavaScript, are texts. */
export type Plain = string | number | boolean | null | Plain[] | { [name: string]: Plain }

export type Answer = {
  columns: readonly string[]
  /** Pages of rows, in the order of the columns. They are computed while they are read. */
  pages: AsyncIterable<readonly (readonly Plain[])[]>
}

/**
 * Runs one question. A statement that does more than read is refused before it runs: COPY could overwrite the archive's
 * files.
 * @throws Error it is not one SELECT, it calls a function that does more than read, or DuckDB cannot run it
 */
export async function runQuery(connection: DuckDBConnection, sql: string): Promise<Answer> {
  if (sql.trim() === '') throw new Error('the question is empty')
  const statements = await connection.extractStatements(sql)
  if (statements.count !== 1)
    throw new Error(
      `one SELECT is expected, not ${statements.count} statements; a PIVOT must name its columns: ON … IN (…)`,
    )
  const onlyReads = await assertOnlyReads(connection, sql)
  const prepared = await statements.prepare(0)
  if (!onlyReads) throw new Error(`only SELECT is run here, not ${typeOf(prepared)}`)
  return answerOf(await prepared.stream())
}

/** Converts a result of DuckDB to JSON values. */
export const answerOf = (result: DuckDBResult): Answer => ({
  columns: result.columnNames(),
  pages: pagesOf(result.yieldRows()),
})

function typeOf({ statementType }: DuckDBPreparedStatement): string {
  const isKnown = statementType !== StatementType.SELECT && statementType in StatementType
  return isKnown ? StatementType[statementType] : 'another statement'
}

async function* pagesOf(pages: AsyncIterable<DuckDBValue[][]>): Answer['pages'] {
  for await (const rows of pages) yield rows.map((row) => row.map(plainOf))
}

/** All rows of an answer, as objects. */
export async function rowsOf({ columns, pages }: Answer): Promise<Record<string, Plain>[]> {
  const rows: Record<string, Plain>[] = []
  for await (const page of pages)
    for (const row of page) rows.push(Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null])))
  return rows
}

function plainOf(value: DuckDBValue): Plain {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (value instanceof DuckDBDecimalValue) return value.toDouble()
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) return value.items.map(plainOf)
  if (value instanceof DuckDBStructValue)
    return Object.fromEntries(Object.entries(value.entries).map(([name, entry]) => [name, plainOf(entry)]))
  return String(value)
}
