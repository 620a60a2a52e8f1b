import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const project = fileURLToPath(new URL('../../../../', import.meta.url))

/**
 * Runs `npm run history` on a data directory.
 * @param niceness how far it steps back behind other processes
 * @returns the seconds that it took, from its start to its end
 */
export async function ask(dataDir: string, words: readonly string[], niceness = 0): Promise<number> {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir }
  const from = performance.now()
  const script = ['-n', `${niceness}`, process.execPath, '--import', 'tsx', 'ops/history/main.ts', ...words]
  await promisify(execFile)('nice', script, { env, cwd: project })
  return (performance.now() - from) / 1000
}
