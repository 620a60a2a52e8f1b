import { readFileSync } from 'node:fs'
import { ConfigError, type Variable } from './variable.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** The variable that names the file with a secret. */
export const fileVariable = (variable: string): string => `${variable}_FILE`

/**
 * The text of a variable, or for a secret the content of the file that `NAME_FILE` names, without the end of its line.
 * Undefined if neither is set.
 * @throws ConfigError both are set, or the file has no text
 */
export function givenText({ variable, isSecret }: Variable<unknown>, environment: Environment): string | undefined {
  const own = environment[variable] || undefined
  const path = isSecret === true ? environment[fileVariable(variable)] || undefined : undefined
  if (path === undefined) return own
  if (own !== undefined) throw new ConfigError(`set ${variable} or ${fileVariable(variable)}, and not both of them`)
  return textOf(path, fileVariable(variable))
}

function textOf(path: string, variable: string): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new ConfigError(`${variable} names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  if (text === '') throw new ConfigError(`${variable} names a file that is empty`)
  return text
}
