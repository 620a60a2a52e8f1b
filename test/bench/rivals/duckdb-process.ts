/**
 * DuckDB's Node package and nothing else. Takes `DIR`, then one SELECT per line, ended by `;`. Prints each row as JSON.
 * Node runs it without a loader, which would count as DuckDB's memory.
 */
import { createInterface } from 'node:readline'
import { DuckDBInstance } from '@duckdb/node-api'

const [directory = ''] = process.argv.slice(2)
const instance = await DuckDBInstance.create()
const connection = await instance.connect()
const files = `${directory}/events/**/*.parquet`.replaceAll("'", "''")
await connection.run(`CREATE VIEW events AS FROM read_parquet('${files}', hive_partitioning = false)`)
for await (const sql of createInterface({ input: process.stdin })) {
  const answer = await connection.runAndReadAll(sql)
  for (const row of answer.getRowObjectsJson()) console.log(JSON.stringify(row))
}
