import type { DuckDBConnection } from '@duckdb/node-api'

export type DuckDbOptions = {
  /** DuckDB's database file, which only one process at a time can open. Default: none, everything is in memory. */
  path?: string
  /** A folder for data that does not fit into memory. Default: none. */
  temporary?: string
  threads?: number
  /** The most memory that DuckDB may use. The rest goes to `temporary`. Default: 1GB. */
  memory?: string
}

export type DuckDb = Disposable & {
  connection: DuckDBConnection
  version: string
  /** A second connection, to read from at the same time. The caller closes it. */
  connect(): Promise<DuckDBConnection>
}

/** Opens DuckDB. Loads its library only now: it is large, and most processes do not need it. */
export async function openDuckDb({ path, temporary, threads, memory = '1GB' }: DuckDbOptions = {}): Promise<DuckDb> {
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(path, {
    memory_limit: memory,
    ...(threads !== undefined && { threads: String(threads) }),
    ...(temporary !== undefined && { temp_directory: temporary }),
  })
  const connection = await instance.connect()
  const version = await connection.runAndReadAll('SELECT version()')
  return {
    connection,
    version: String(version.getRows()[0]?.[0]),
    connect: () => instance.connect(),
    [Symbol.dispose]: () => {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

/** A text in SQL. */
export const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** A list of texts in SQL. */
export const sqlTexts = (texts: readonly string[]): string => `[${texts.map(sqlText).join(', ')}]`
