import { readFileSync } from 'node:fs'

const manifest = new URL('../../package.json', import.meta.url)

/**
 * The arguments of node in an npm script, for callers that start it without npm. The script runs node in place of its
 * shell (exec): npm sends signals only to the shell, which would die of them and leave node running.
 * @throws Error if the script does not do so
 */
export function scriptArguments(script: string): string[] {
  const { scripts } = JSON.parse(readFileSync(manifest, 'utf8')) as { scripts: Record<string, string> }
  const [, words] = /^(?:[A-Z_]+=\S+ )?exec node (.*)$/.exec(scripts[script] ?? '') ?? []
  if (words === undefined) throw new Error(`npm run ${script} runs ${scripts[script]}`)
  return words.split(' ')
}
