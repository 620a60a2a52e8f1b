/**
 * The people who sign in to the dashboard: their accounts, sessions and tokens, and what operators did. None of it is an
 * event: a person can be forgotten, and a history cannot. All instants are milliseconds since 1970, of the caller's clock.
 */

/** `owner`: also invites and removes members, and closes the organization. */
export type Role = 'owner' | 'member'

export type Membership = { orgId: string; role: Role; since: number }

/** An organization that a sign-up has promised and that may not be registered yet: a crash may have come between. */
export type Promised = { orgId: string; name: string }

/** One person. One document: whatever changes together is in it. */
export type Account = {
  id: string
  /** As it was typed, without spaces around it. */
  email: string
  /** argon2id; null: signs in by the operator's provider only. */
  passwordHash: string | null
  /** Who the person is to the operator's OpenID provider: issuer and subject; null: not known there. */
  identity: string | null
  /** When the address was shown to be the person's; null: not yet. */
  verifiedAt: number | null
  isOperator: boolean
  memberships: readonly Membership[]
  promised: Promised | null
  createdAt: number
}

/** Sessions and tokens are known by the SHA-256 of their 32 random bytes; the bytes themselves are stored nowhere. */
export type Session = {
  hash: string
  accountId: string
  createdAt: number
  lastSeenAt: number
  expiresAt: number
}

/** What a link that was sent, or a redirect that is under way, allows once. */
export type Token = {
  hash: string
  purpose: 'verify' | 'reset' | 'invite' | 'oidc'
  /** Whose it is; null: of somebody who has no account yet. */
  accountId: string | null
  /** The address that it was sent to; null: it was not sent. */
  email: string | null
  /** The membership that it gives; null: none. */
  gives: { orgId: string; role: Role } | null
  /** What the purpose needs besides, such as the verifier of a sign-in under way; never content. */
  data: Readonly<Record<string, string>>
  createdAt: number
  expiresAt: number
}

/** Something that an operator did in the dashboard. Events that it caused name its id as their cause, and nothing else. */
export type AuditEntry = {
  id: string
  at: number
  /** The operator's account. */
  accountId: string
  action: string
  orgId: string | null
  /** Such as `plan: pro`. */
  detail: string
}

/** Another account has this address or identity. */
export class AccountTakenError extends Error {
  readonly code = 'account_taken'
}

/**
 * Stores accounts.
 *
 * Guarantees:
 * - An address, whatever its letters' case, and an identity belong to one account at most, also when two are made at once.
 * - A change is stored whole or not at all, is on disk when its promise resolves, and is seen by every process at once.
 * - A token is taken by one caller only, however many try.
 * - Sessions and tokens that have expired are not returned, and are removed some time later.
 * - While the store is away, methods reject within seconds.
 */
export interface Accounts {
  /** @throws AccountTakenError */
  create(account: Account): Promise<void>
  get(id: string): Promise<Account | undefined>
  byEmail(email: string): Promise<Account | undefined>
  byIdentity(identity: string): Promise<Account | undefined>
  /**
   * Changes an account as it is at this moment: `change` may be called again where another change came first.
   * @param change returns the new account, with the same id; undefined: leave it
   * @returns the account as it now is; undefined where there is none
   * @throws AccountTakenError
   */
  update(id: string, change: (account: Account) => Account | undefined): Promise<Account | undefined>
  /** Removes the account with its sessions and tokens. */
  remove(id: string): Promise<void>
  /** Accounts that are members of an organization, by the time at which they became one. */
  membersOf(orgId: string): Promise<Account[]>
  /** Accounts whose organization was promised before an instant, and maybe not made. */
  withPromise(before: number): Promise<Account[]>

  putSession(session: Session): Promise<void>
  session(hash: string, now: number): Promise<Session | undefined>
  seen(hash: string, at: number): Promise<void>
  sessionsOf(accountId: string, now: number): Promise<Session[]>
  endSession(hash: string): Promise<void>
  /** @param except the hash of a session that stays */
  endSessions(accountId: string, except?: string): Promise<void>

  putToken(token: Token): Promise<void>
  /** Looks at a token without taking it. */
  token(hash: string, now: number): Promise<Token | undefined>
  /** Takes a token: nobody gets it again. */
  takeToken(hash: string, now: number): Promise<Token | undefined>
  /** Tokens that give membership in an organization, oldest first. */
  invitationsOf(orgId: string, now: number): Promise<Token[]>
  /** Removes all tokens of an account and a purpose. */
  dropTokens(accountId: string, purpose: Token['purpose']): Promise<void>

  /** Takes one of the places of a day (`2026-01-31`). @returns false where all `places` are taken */
  takePlace(day: string, places: number): Promise<boolean>

  addAudit(entry: AuditEntry): Promise<void>
  /** Newest first. @param before entries older than this instant */
  audits(question: { before?: number; limit: number; orgId?: string }): Promise<AuditEntry[]>

  [Symbol.asyncDispose](): PromiseLike<void>
}
