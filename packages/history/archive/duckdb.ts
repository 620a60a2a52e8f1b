import type { DuckDBConnection } from '@duckdb/node-api'

export type DuckDbOptions = {
  /** A file of DuckDB's own, which one process at a time can have open. Default: none, everything is in memory. */
  path?: string
  /** For what does not fit into the memory. Default: none. */
  temporary?: string
  threads?: number
  /** The most memory of DuckDB's own. What is more goes to `temporary`. Default 1GB. */
  memory?: string
}

export type DuckDb = Disposable & {
  connection: DuckDBConnection
  version: string
  /** A further connection, for reading beside the first. It is closed by whoever has asked for it. */
  connect(): Promise<DuckDBConnection>
}

/** Opens DuckDB. It is loaded here only: it is large, and most processes do without it. */
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
