import { optional } from './variable.ts'

/** The key that seals, or the file that has it. */
export const secretsVariables = {
  secretsKey: optional(
    'SECRETS_KEY',
    'key that seals what is kept for later, 64 hexadecimal digits, the same for every process; unset: `secrets.key` in DATA_DIR, made at the first start',
  ),
  secretsKeyFile: optional('SECRETS_KEY_FILE', 'file with that key, in its place'),
}

/** What is wrong where the key that seals is given twice, in words. */
export const secretsProblems = (
  given: Readonly<Record<'secretsKey' | 'secretsKeyFile', string | undefined>>,
): string[] =>
  given.secretsKey !== undefined && given.secretsKeyFile !== undefined
    ? ['set SECRETS_KEY or SECRETS_KEY_FILE, and not both of them']
    : []
