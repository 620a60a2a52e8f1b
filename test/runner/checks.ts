import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { Outcome } from './report.ts'

/** A command that counts as a test: it passes if it exits with 0. */
export type Check = { title: string; command: readonly [string, ...string[]] }

/** The checks of the whole tree. Their commands are in node_modules/.bin, which npm puts on the PATH. */
export const checks: readonly Check[] = [
  { title: 'Biome finds nothing to format or mend', command: ['biome', 'check', '--error-on-warnings', '.'] },
  { title: 'TypeScript finds no error', command: ['tsc'] },
  {
    title: 'contracts/generated is what the schemas say',
    command: [process.execPath, '--import', 'tsx/esm', 'ops/contracts/main.ts', '--check'],
  },
  {
    title: 'Redocly and Spectral find nothing to mend in openapi.json',
    command: [process.execPath, '--import', 'tsx/esm', 'ops/contracts/lint.ts'],
  },
]

export type CheckOptions = {
  /** How long a check may take. Default: 5 minutes. */
  timeoutMs?: number
  /** How much of its output is shown if it fails. Default: 4,000 characters. */
  maxReportChars?: number
}

/** Runs a check. */
export async function runCheck(
  { title, command: [command, ...args] }: Check,
  { timeoutMs = 300_000, maxReportChars = 4_000 }: CheckOptions = {},
): Promise<Outcome> {
  const from = performance.now()
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], signal: AbortSignal.timeout(timeoutMs) })
  const exit = once(child, 'exit').catch((error: Error) => [error.message])
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exit])
  const state = code === 0 ? 'passed' : 'failed'
  const said = `${out}${err}`.trim().slice(0, maxReportChars)
  const report = code === 0 ? '' : `${said}\n${[command, ...args].join(' ')} ended with ${code}`
  return { state, file: 'check', title, report, ms: performance.now() - from }
}
