import { execFileSync } from 'node:child_process'
import { python } from '#test/doubles/python.ts'

/** Runs Python code beside the worker's modules. @returns what it prints, without spaces around it */
export const runPython = (
  code: string,
  args: readonly string[] = [],
  options: { input?: string; cwd?: string } = {},
) => {
  const beside = `import sys; sys.path.insert(0, ${JSON.stringify(import.meta.dirname)})\n${code}`
  const env = options.cwd === undefined ? process.env : { HOME: options.cwd }
  return execFileSync(python, ['-sBc', beside, ...args], { encoding: 'utf8', env, ...options }).trim()
}
