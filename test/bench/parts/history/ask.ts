import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { historyCommand } from '../analysts/asked.ts'

const project = fileURLToPath(new URL('../../../../', import.meta.url))

/** How long a command took from its start to its end, and what it printed. */
export type Asked = { seconds: number; printed: string }

/**
 * Runs `npm run history` on a data directory.
 * @param niceness how far it yields to other processes
 */
export async function ask(dataDir: string, words: readonly string[], niceness = 0): Promise<Asked> {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir }
  const from = performance.now()
  const script = ['-n', `${niceness}`, process.execPath, ...historyCommand(words)]
  const { stdout: printed } = await promisify(execFile)('nice', script, { env, cwd: project })
  return { seconds: (performance.now() - from) / 1000, printed }
}
