import type { DuckDBConnection } from '@duckdb/node-api'
import { sqlTexts } from '#packages/history/archive/duckdb.ts'

/** Table functions that a question may use. Others change settings, or read more than the archive. */
const tableFunctions = new Set([
  'range',
  'generate_series',
  'unnest',
  'repeat',
  'json_each',
  'json_tree',
  'histogram',
  'histogram_values',
  'duckdb_columns',
  'duckdb_functions',
  'duckdb_settings',
  'duckdb_tables',
  'duckdb_types',
  'duckdb_views',
  'pragma_table_info',
])

/** DuckDB calls a function volatile if it has an effect or a new result at each call. These have no effect. */
const harmless = ['random', 'uuid', 'uuidv4', 'uuidv7', 'gen_random_uuid', 'error', 'current_query']

/**
 * A table of the volatile functions, and of macros that call one: `pg_sleep` is a macro of `sleep_ms`. Finding them
 * takes longer than most questions, so it is done once.
 */
export const effectsTable = `CREATE TABLE beneath.effects AS
  WITH scalar AS (
    SELECT DISTINCT function_name AS name FROM duckdb_functions()
    WHERE stability = 'VOLATILE' AND function_type = 'scalar' AND function_name NOT IN (FROM (SELECT unnest(${sqlTexts(harmless)})))
  )
  FROM scalar
  UNION
  SELECT function_name AS name FROM duckdb_functions() JOIN scalar ON contains(macro_definition, name || '(')
  WHERE function_type = 'macro'`

/**
 * Checks the functions that a question calls, before DuckDB calls them: `FROM enable_profiling()` is a SELECT too.
 * @param connection with {@link effectsTable}
 * @returns false for another statement, even one that DuckDB would run as a SELECT, such as some PRAGMAs
 * @throws Error it calls a function that does more than read
 */
export async function assertOnlyReads(connection: DuckDBConnection, sql: string): Promise<boolean> {
  const [text] = await columnOf(connection, 'SELECT json_serialize_sql($1::VARCHAR)', [sql])
  const parsed = JSON.parse(String(text))
  if (parsed.error) return false
  const called: Called = { tables: new Set(), all: new Set() }
  collect(parsed.statements, called)
  const effective = await columnOf(connection, 'FROM beneath.effects')
  const refused =
    [...called.tables].find((name) => !tableFunctions.has(name)) ?? effective.find((name) => called.all.has(name))
  if (refused !== undefined) throw new Error(`${refused} is not among the functions that may be called here`)
  return true
}

/** Lower-case names of functions. */
type Called = { tables: Set<string>; all: Set<string> }

/** Adds the functions that a part of the syntax tree calls. */
function collect(piece: unknown, called: Called): void {
  if (typeof piece !== 'object' || piece === null) return
  const {
    type,
    function: call,
    function_name: name,
  } = piece as { type?: string; function?: Call; function_name?: string }
  if (type === 'TABLE_FUNCTION') called.tables.add(String(call?.function_name).toLowerCase())
  if (typeof name === 'string') called.all.add(name.toLowerCase())
  for (const one of Object.values(piece)) collect(one, called)
}

type Call = { function_name: string }

/** The first column of an answer. */
async function columnOf(connection: DuckDBConnection, sql: string, values: string[] = []): Promise<string[]> {
  const answer = await connection.runAndReadAll(sql, values)
  return answer.getRows().map(([value]) => String(value))
}
