import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { Accounts, Token } from '#packages/ports/accounts.ts'
import type { Clock } from '#packages/ports/clock.ts'

/** An invitation no longer exists: it was used, withdrawn, is too old, or its maker may no longer invite. */
export const invitationIsOver = (): ServiceError =>
  new ServiceError('not_found', 'This invitation no longer works. Ask for a new one.')

/** Looks up an invitation without using it up. @throws ServiceError not_found */
export async function openInvitation(
  { accounts, clock }: { accounts: Accounts; clock: Clock },
  hash: string,
): Promise<Token> {
  const token = await accounts.token(hash, clock.now())
  if (token?.purpose !== 'invite' || !(await isBacked(accounts, token))) throw invitationIsOver()
  return token
}

/**
 * Whether the maker of an invitation may still invite. A maker who was removed, demoted or deleted must not come back
 * through an earlier link. An operator's invitation gives no membership, and has no maker.
 */
export async function isBacked(
  accounts: Pick<Accounts, 'get'>,
  { gives, accountId }: Pick<Token, 'gives' | 'accountId'>,
): Promise<boolean> {
  if (gives === null) return true
  const maker = accountId === null ? undefined : await accounts.get(accountId)
  return maker?.memberships.some(({ orgId, role }) => orgId === gives.orgId && role === 'owner') ?? false
}
