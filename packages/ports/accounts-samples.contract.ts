import { randomUUID } from 'node:crypto'
import type { Account, AuditEntry, Membership, Session, Token } from './accounts.ts'

/**
 * The instant of the tests. It is near the present, because a server may also remove expired entries by its own clock.
 */
export const now = Date.now()
export const day = 86_400_000

export const hash = (): string => randomUUID().replaceAll('-', '').repeat(2)

export const account = (fields: Partial<Account> = {}): Account => {
  const id = randomUUID()
  const email = `Mira.${id}@Example.com`
  const unset = { passwordHash: null, identity: null, verifiedAt: null, promised: null }
  return { id, email, ...unset, isOperator: false, memberships: [], createdAt: now, ...fields }
}

export const session = (accountId: string, fields: Partial<Session> = {}): Session => {
  return { hash: hash(), accountId, createdAt: now, lastSeenAt: now, expiresAt: now + day, ...fields }
}

export const token = (fields: Partial<Token> = {}): Token => {
  const unset = { accountId: null, email: null, gives: null }
  return { hash: hash(), purpose: 'verify', ...unset, data: {}, createdAt: now, expiresAt: now + day, ...fields }
}

export const entry = (fields: Partial<AuditEntry> = {}): AuditEntry => {
  return { id: randomUUID(), at: now, accountId: 'operator', action: 'grant', orgId: null, detail: '', ...fields }
}

export const memberOf = (orgId: string, fields: Partial<Membership> = {}): Membership => {
  return { orgId, role: 'member', since: now, ...fields }
}

export const idsOf = (found: readonly { id: string }[]): string[] => found.map(({ id }) => id)
export const hashesOf = (found: readonly { hash: string }[]): string[] => found.map((each) => each.hash)
export const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))
