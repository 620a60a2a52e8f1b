import type { Account, Accounts } from '#packages/ports/accounts.ts'
import type { Clock } from '#packages/ports/clock.ts'

/**
 * Ends all memberships in an organization, and its open invitations. Also removes accounts of people who belong to no
 * other organization, except an operator's. May be repeated.
 * @param except an account that the caller removes itself; undefined: none
 * @returns how many accounts were removed
 */
export async function removeMembers(
  { accounts, clock }: { accounts: Accounts; clock: Clock },
  orgId: string,
  except?: string,
): Promise<number> {
  for (const { hash } of await accounts.invitationsOf(orgId, clock.now())) await accounts.takeToken(hash, clock.now())
  let removed = 0
  for (const { id } of await accounts.membersOf(orgId)) {
    if (id === except) continue
    const left = await accounts.update(id, (account) => withoutMembership(account, orgId))
    if (left === undefined || belongsSomewhere(left)) continue
    await accounts.remove(id)
    removed++
  }
  return removed
}

export const withoutMembership = (account: Account, orgId: string): Account => ({
  ...account,
  memberships: account.memberships.filter((membership) => membership.orgId !== orgId),
})

const belongsSomewhere = ({ memberships, promised, isOperator }: Account): boolean =>
  memberships.length > 0 || promised !== null || isOperator
