import type { EventData } from '#contracts/generated/events.ts'

/** The kinds of requests that a key may be allowed: reading, jobs, keys themselves, and webhooks. */
export const allScopes = ['read', 'jobs', 'keys', 'webhooks'] as const

export type Scope = (typeof allScopes)[number]

/** The permissions of a key. Null: no limit. `expiresAt`: milliseconds since 1970. */
export type KeyGrant = Pick<EventData['KeyCreated'], 'scopes' | 'monthlyCredits' | 'expiresAt'>

/** No limits. */
export const fullGrant: KeyGrant = { scopes: null, monthlyCredits: null, expiresAt: null }

export const hasScope = ({ scopes }: KeyGrant, scope: Scope): boolean => scopes === null || scopes.includes(scope)

export const hasAllScopes = (grant: KeyGrant): boolean => allScopes.every((scope) => hasScope(grant, scope))

/** `now`: milliseconds since 1970. */
export const hasExpired = ({ expiresAt }: KeyGrant, now: number): boolean => expiresAt !== null && now >= expiresAt

const isMore = (one: number | null, other: number | null): boolean =>
  (one ?? Number.POSITIVE_INFINITY) > (other ?? Number.POSITIVE_INFINITY)

/** The fields in which a grant allows more than the grant of the key that gives it. */
export function exceeded(grant: KeyGrant, by: KeyGrant): (keyof KeyGrant)[] {
  const wider: Record<keyof KeyGrant, boolean> = {
    scopes: allScopes.some((scope) => hasScope(grant, scope) && !hasScope(by, scope)),
    monthlyCredits: isMore(grant.monthlyCredits, by.monthlyCredits),
    expiresAt: isMore(grant.expiresAt, by.expiresAt),
  }
  return (Object.keys(wider) as (keyof KeyGrant)[]).filter((field) => wider[field])
}
