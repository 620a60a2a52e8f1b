import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The longest that a generator or a program may take, milliseconds. */
const TIMEOUT_MS = 180_000
const MAX_PRINTED_BYTES = 16 * 1024 * 1024

/**
 * Runs a command in a folder.
 * @returns its output
 * @throws Error with its output, if the command fails
 */
export async function printed(
  folder: string,
  command: string,
  words: readonly string[],
  more: Record<string, string> = {},
): Promise<{ stdout: string; stderr: string }> {
  const env = { ...process.env, ...more }
  return await run(command, words, { cwd: folder, timeout: TIMEOUT_MS, env, maxBuffer: MAX_PRINTED_BYTES })
}

/** How a customer's TypeScript compiles. */
export const compilerOptions = {
  ...{ strict: true, noEmit: true, skipLibCheck: false, exactOptionalPropertyTypes: true },
  ...{ target: 'es2022', module: 'nodenext', lib: ['es2022', 'dom'], types: [] },
}
