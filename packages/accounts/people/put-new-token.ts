import type { Accounts, Token } from '#packages/ports/accounts.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { newSecretToken } from './secret-token.ts'

type Given = Pick<Token, 'purpose'> & Partial<Pick<Token, 'accountId' | 'email' | 'gives' | 'data'>>

/** Stores a new token as its hash. @returns the token itself, which is not stored anywhere */
export async function putNewToken(
  { accounts, clock }: { accounts: Accounts; clock: Clock },
  given: Given,
  lastsMs: number,
): Promise<string> {
  const { token, hash } = newSecretToken()
  const now = clock.now()
  const nothing = { accountId: null, email: null, gives: null, data: {} }
  await accounts.putToken({ ...nothing, ...given, hash, createdAt: now, expiresAt: now + lastsMs })
  return token
}
