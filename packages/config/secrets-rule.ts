/** What is wrong where the key that seals is given twice, in words. */
export const secretsProblems = (
  given: Readonly<Record<'secretsKey' | 'secretsKeyFile', string | undefined>>,
): string[] =>
  given.secretsKey !== undefined && given.secretsKeyFile !== undefined
    ? ['set SECRETS_KEY or SECRETS_KEY_FILE, and not both of them']
    : []
