import { UsageError } from '../organizations/run-command.ts'

export type AccountsCommand =
  | { type: 'list' }
  | { type: 'invite' | 'reset' | 'reset-second-factor' | 'remove'; email: string }
  | { type: 'operator'; email: string; isOperator: boolean }

export const accountsOptions = {
  /** With `operator`: takes the role away. */
  remove: { type: 'boolean', default: false },
  sandbox: { type: 'boolean', default: false },
} as const

/** @throws UsageError with what is wrong */
export function parseAccountsCommand(words: {
  positionals: readonly string[]
  values: { remove?: boolean | undefined }
}): AccountsCommand {
  const [type, email, ...rest] = words.positionals
  const { remove = false } = words.values
  if (rest.length > 0) throw new UsageError(`unexpected: ${rest.join(' ')}`)
  if (remove && type !== 'operator')
    throw new UsageError('--remove belongs to operator; to remove a person: remove EMAIL')
  switch (type) {
    case 'list':
      if (email !== undefined) throw new UsageError(`unexpected: ${email}`)
      return { type }
    case 'invite':
    case 'reset':
    case 'reset-second-factor':
    case 'remove':
      return { type, email: emailIn(email) }
    case 'operator':
      return { type, email: emailIn(email), isOperator: !remove }
    default:
      throw new UsageError(type === undefined ? 'a command is missing' : `there is no command ${type}`)
  }
}

function emailIn(word: string | undefined): string {
  if (word?.includes('@') === true) return word
  throw new UsageError('the e-mail address is missing')
}
