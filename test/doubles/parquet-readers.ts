import { execFile } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { leaveOut } from '../runner/left-out.ts'
import { python } from './python.ts'

const program = fileURLToPath(new URL('./read_as_analysts.py', import.meta.url))
const run = promisify(execFile)

/**
 * The findings of a reader: the number of rows, the sum of a column, and the types of columns by the reader's own
 * names.
 */
export type Seen = { rows: number; sum: number; columns: Record<string, string> }

/**
 * Reads files or folders with pandas, pyarrow and polars, and sums up one column of each.
 * @returns for each path, in their order: what each reader finds, by the reader's name
 */
export async function readAsAnalysts(asked: readonly (readonly [path: string, column: string])[]) {
  const { stdout } = await run(python, [program, ...asked.map(([path, column]) => `${path}=${column}`)], {
    maxBuffer: 16 * 1_048_576,
  })
  return JSON.parse(stdout) as Record<string, Seen>[]
}

const packages = ['pandas', 'pyarrow', 'polars']

/** Tests that read Parquet with pandas, pyarrow and polars. */
export function withParquetReaders(body: () => void): void {
  const found = join(dirname(dirname(python)), 'lib/python3.*/site-packages')
  const missing = packages.filter((name) => globSync(join(found, name)).length === 0)
  if (existsSync(python) && missing.length === 0) body()
  else
    leaveOut(
      { needs: packages.join(', '), why: `.venv lacks ${missing.join(', ')}: ops/setup --dev installs them` },
      body,
    )
}
