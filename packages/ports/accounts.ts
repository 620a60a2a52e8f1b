import type { SealedEntries } from './sealed-entries.ts'

/**
 * The people who sign in to the dashboard: their accounts, sessions and tokens, and what operators did. None of it is
 * an event, because a person can be forgotten, and a history cannot. All instants are milliseconds since 1970, by the
 * caller's clock.
 */

/** `owner`: also invites and removes members, and closes the organization. */
export type Role = 'owner' | 'member'

export type Membership = { orgId: string; role: Role; since: number }

/** An organization that a sign-up has promised. It may not be registered yet, because a crash may have come between. */
export type Promised = { orgId: string; name: string }

/** One-time codes (TOTP) and the remaining recovery codes. */
export type SecondFactor = {
  /** The secret, sealed with SECRETS_KEY. */
  sealed: string
  /** The time step of the last accepted code. That step and older ones are used up. */
  lastStep: number
  /** SHA-256 of recovery codes. */
  recovery: readonly string[]
  /** Wrong codes since the last right one. */
  failures: number
  /** No code is accepted before this instant. */
  pausedUntil: number
}

/** One person, as one document: everything that changes together is in it. */
export type Account = {
  id: string
  /**
   * The address as the person typed it, without surrounding spaces. Mail goes here, never to another spelling typed
   * later.
   */
  email: string
  /** argon2id; null: signs in only by the operator's provider. */
  passwordHash: string | null
  /** The person's identity at the operator's OpenID provider: issuer and subject; null: unknown there. */
  identity: string | null
  /** When the person proved to own the address; null: not yet. */
  verifiedAt: number | null
  /** A code that a sign-in requires after the password. Missing: none is required. */
  secondFactor?: SecondFactor
  isOperator: boolean
  memberships: readonly Membership[]
  promised: Promised | null
  createdAt: number
}

/** Sessions and tokens are identified by the SHA-256 of their 32 random bytes. The bytes themselves are not stored. */
export type Session = {
  hash: string
  accountId: string
  createdAt: number
  lastSeenAt: number
  /** The session ends at this instant. */
  expiresAt: number
}

/** A right that a sent link or an unfinished redirect gives once. */
export type Token = {
  hash: string
  purpose: 'verify' | 'reset' | 'invite' | 'oidc' | 'email' | 'second-factor'
  /**
   * The account of the token's owner, or of the sender of an invitation. Null: the owner has no account yet, or an
   * operator sent the invitation.
   */
  accountId: string | null
  /** The address that it was sent to; null: it was not sent. */
  email: string | null
  /** The membership that it gives; null: none. */
  gives: { orgId: string; role: Role } | null
  /** Other data for the purpose, such as the verifier of an unfinished sign-in; never content. */
  data: Readonly<Record<string, string>>
  createdAt: number
  expiresAt: number
}

/**
 * An action of an operator in the dashboard, done or requested. Events that it caused name only its id, as their cause.
 */
export type AuditEntry = {
  id: string
  at: number
  /** The account that did it, or requested it. */
  accountId: string
  action: string
  orgId: string | null
  /** Such as `plan: pro`. */
  detail: string
}

/** Another account has this address, identity or id. */
export class AccountTakenError extends Error {
  readonly code = 'account_taken'
  constructor() {
    // Without the address, because messages are logged.
    super('another account has this address, identity or id')
  }
}

/** The common form of all spellings of one address: it ignores letter case and the Unicode form of accents. */
export const addressKey = (email: string): string => email.normalize('NFC').toLowerCase()

/**
 * Stores accounts.
 *
 * Guarantees:
 * - An address, in any of its spellings (`addressKey`), belongs to one account at most, and so does an identity. That
 *   holds even if two accounts are created at once.
 * - A change of one document is stored whole or not at all. When its promise resolves, it is on disk, and every process
 *   sees it at once.
 * - Only one caller takes a token, however many try.
 * - Expired sessions and tokens are not returned, and are removed some time later.
 * - What is returned is the caller's own copy.
 * - While the store is away, methods reject with UnreachableError within seconds. A change may then have been stored or
 *   not. Every method but `create`, `takeToken`, `takePlace` and `addAudit` may simply be called again.
 *
 * An account and its sessions are different documents. While a sign-in is under way, the password may be changed or the
 * account removed. The sign-in may then put its session after those of the account were ended. So it has to look at the
 * account again once it has put the session. If the password has changed or the account is gone, it ends the session.
 */
export interface Accounts extends SealedEntries {
  /** @throws AccountTakenError */
  create(account: Account): Promise<void>
  get(id: string): Promise<Account | undefined>
  byEmail(email: string): Promise<Account | undefined>
  byIdentity(identity: string): Promise<Account | undefined>
  /**
   * Changes an account as it is at this moment. `change` may be called again if another change came first.
   * @param change returns a new account with the same id, or undefined to leave it; it must not modify anything
   * @returns the account as it is now; undefined if there is none
   * @throws AccountTakenError
   */
  update(id: string, change: (account: Account) => Account | undefined): Promise<Account | undefined>
  /** Removes the account, then its sessions and tokens. Repeating it also removes what a crash has left of them. */
  remove(id: string): Promise<void>
  /** All accounts ordered by id, in pages. @param after the last id of the page before; empty: from the beginning */
  page(after: string, limit: number): Promise<Account[]>
  /** The members of an organization, the longest-standing first. */
  membersOf(orgId: string): Promise<Account[]>
  /** Accounts created before an instant with a promised organization that may not exist yet. Oldest first. */
  withPromise(before: number): Promise<Account[]>

  putSession(session: Session): Promise<void>
  session(hash: string, now: number): Promise<Session | undefined>
  /** Records when a session was last seen; never moves it back. This is a write: once a minute is often enough. */
  seen(hash: string, at: number): Promise<void>
  /** The sessions of an account, newest first. */
  sessionsOf(accountId: string, now: number): Promise<Session[]>
  endSession(hash: string): Promise<void>
  /** @param except the hash of a session that stays */
  endSessions(accountId: string, except?: string): Promise<void>

  putToken(token: Token): Promise<void>
  /** Looks at a token without taking it. */
  token(hash: string, now: number): Promise<Token | undefined>
  /** Takes a token: no other caller gets it again. */
  takeToken(hash: string, now: number): Promise<Token | undefined>
  /** Tokens that give membership in an organization, oldest first. */
  invitationsOf(orgId: string, now: number): Promise<Token[]>
  /** Removes all tokens of an account and a purpose. */
  dropTokens(accountId: string, purpose: Token['purpose']): Promise<void>

  /**
   * Takes one of the places of a day (`2026-01-31`). A call that rejects may have taken one. There are never more.
   * @returns false if all `places` are taken
   */
  takePlace(day: string, places: number): Promise<boolean>

  /**
   * Adds an entry; adding it again changes nothing. @returns whether it is new; of several callers at once, true for
   * one
   */
  addAudit(entry: AuditEntry): Promise<boolean>
  /**
   * Newest first; entries of one instant are in descending order of their ids. All entries of one instant come
   * together, even if that exceeds `limit`. So the next page begins `before` the last of them, and none is lost between
   * pages.
   * @param question `before`: only entries older than this instant; `orgId`: only those about this organization
   */
  audits(question: { before?: number; limit: number; orgId?: string }): Promise<AuditEntry[]>

  [Symbol.asyncDispose](): PromiseLike<void>
}
