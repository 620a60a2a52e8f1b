import { type KeyRequest, keyRequestOf } from '#packages/accounts/keys/key-request.ts'
import { type Plan, plans } from '#packages/domain/credits/plans.ts'
import { UsageError } from './run-command.ts'

export type OrgCommand =
  | { type: 'create'; name: string; plan: Plan; json: boolean }
  | { type: 'plan'; orgId: string; plan: Plan }
  | { type: 'grant'; orgId: string; credits: number }
  | { type: 'key'; orgId: string; request: KeyRequest; json: boolean }
  | { type: 'list' }

const MAX_NAME = 200
const MAX_GRANT = 1_000_000_000

function planOf(word: string | undefined): Plan {
  if (word !== undefined && Object.hasOwn(plans, word)) return word as Plan
  throw new UsageError(`the plan must be one of ${Object.keys(plans).join(', ')}`)
}

function nameOf(word: string | undefined): string {
  const name = word?.trim() ?? ''
  if (name.length >= 1 && name.length <= MAX_NAME) return name
  throw new UsageError(`the name must have 1 to ${MAX_NAME} characters`)
}

function orgIdOf(word: string | undefined): string {
  if (word !== undefined && word !== '') return word
  throw new UsageError('the id of an organization is missing')
}

function creditsOf(word: string | undefined): number {
  const credits = Number(word)
  if (Number.isInteger(credits) && credits >= 1 && credits <= MAX_GRANT) return credits
  throw new UsageError(`credits must be a whole number from 1 to ${MAX_GRANT}`)
}

/** The key that the words describe, as for POST /v1/keys. A day begins at midnight UTC. */
function keyOf(
  name: string | undefined,
  { scopes, 'monthly-credits': credits, expires }: Values,
  now: number,
): KeyRequest {
  if (name === undefined) throw new UsageError('the name of the key is missing')
  const body = {
    name,
    ...(scopes !== undefined && { scopes: scopes.split(',') }),
    ...(credits !== undefined && { monthlyCredits: credits === '' ? credits : Number(credits) }),
    ...(expires !== undefined && { expiresAt: /^\d{4}-\d\d-\d\d$/.test(expires) ? `${expires}T00:00:00Z` : expires }),
  }
  return keyRequestOf(body, now)
}

export const orgOptions = {
  plan: { type: 'string' },
  scopes: { type: 'string' },
  'monthly-credits': { type: 'string' },
  expires: { type: 'string' },
  json: { type: 'boolean' },
  sandbox: { type: 'boolean', default: false },
} as const

type Values = { [name in 'plan' | 'scopes' | 'monthly-credits' | 'expires']?: string | undefined } & {
  json?: boolean | undefined
}

/**
 * @param now milliseconds since 1970
 * @throws UsageError, or ServiceError invalid_request, with what is wrong
 */
export function parseOrgCommand(words: { positionals: readonly string[]; values: Values }, now: number): OrgCommand {
  const [type, first, second, ...rest] = words.positionals
  if (rest.length > 0) throw new UsageError(`unexpected: ${rest.join(' ')}`)
  switch (type) {
    case 'create':
      if (second !== undefined) throw new UsageError('put a name of several words in quotes')
      return { type, name: nameOf(first), plan: planOf(words.values.plan ?? 'free'), json: words.values.json ?? false }
    case 'plan':
      return { type, orgId: orgIdOf(first), plan: planOf(second) }
    case 'grant':
      return { type, orgId: orgIdOf(first), credits: creditsOf(second) }
    case 'key': {
      const { values } = words
      return { type, orgId: orgIdOf(first), request: keyOf(second, values, now), json: values.json ?? false }
    }
    case 'list':
      return { type }
    default:
      throw new UsageError(type === undefined ? 'a command is missing' : `there is no command ${type}`)
  }
}
