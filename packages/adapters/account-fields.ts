/** The fields by which every adapter of `Accounts` finds accounts, tokens and audits. */
import { type Account, addressKey } from '#packages/ports/accounts.ts'

/** The fields by which an account is found. */
export function accountFields({ email, identity, memberships, promised, createdAt }: Account) {
  return {
    address: addressKey(email),
    identity,
    orgIds: [...new Set(memberships.map(({ orgId }) => orgId))],
    /** Only set on accounts with a promised organization. */
    promisedSince: promised === null ? null : createdAt,
  }
}

/** @throws Error the change gave the account another id */
export function assertSameId(id: string, changed: Account): void {
  if (changed.id !== id) throw new Error('a change of an account must not change its id')
}

/** Puts the longest-standing member first. */
export function byJoining(orgId: string): (one: Account, other: Account) => number {
  const since = ({ memberships }: Account): number => memberships.find((each) => each.orgId === orgId)?.since ?? 0
  return (one, other) => since(one) - since(other) || (one.id < other.id ? -1 : 1)
}
