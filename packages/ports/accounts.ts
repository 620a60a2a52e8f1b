import type { SealedEntries } from './sealed-entries.ts'

/**
 * The people who sign in to the dashboard: their accounts, sessions and tokens, and what operators did. None of it is an
 * event: a person can be forgotten, and a history cannot. All instants are milliseconds since 1970, of the caller's clock.
 */

/** `owner`: also invites and removes members, and closes the organization. */
export type Role = 'owner' | 'member'

export type Membership = { orgId: string; role: Role; since: number }

/** An organization that a sign-up has promised and that may not be registered yet: a crash may have come between. */
export type Promised = { orgId: string; name: string }

/** One-time codes (TOTP) and the recovery codes that are left. */
export type SecondFactor = {
  /** The secret, sealed with SECRETS_KEY. */
  sealed: string
  /** The time step of the last code that was taken: it and older ones are used up. */
  lastStep: number
  /** SHA-256 of recovery codes. */
  recovery: readonly string[]
  /** Wrong codes since the last right one. */
  failures: number
  /** No code is taken before this instant. */
  pausedUntil: number
}

/** One person. One document: whatever changes together is in it. */
export type Account = {
  id: string
  /** As it was typed, without spaces around it. Mail goes here, never to another spelling that somebody typed later. */
  email: string
  /** argon2id; null: signs in by the operator's provider only. */
  passwordHash: string | null
  /** Who the person is to the operator's OpenID provider: issuer and subject; null: not known there. */
  identity: string | null
  /** When the address was shown to be the person's; null: not yet. */
  verifiedAt: number | null
  /** Asked for after the password; missing: nothing is. */
  secondFactor?: SecondFactor
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
  /** From this instant on it is no session any more. */
  expiresAt: number
}

/** What a link that was sent, or a redirect that is under way, allows once. */
export type Token = {
  hash: string
  purpose: 'verify' | 'reset' | 'invite' | 'oidc' | 'email' | 'second-factor'
  /** Whose it is, or who has made the invitation; null: of somebody who has no account yet, or an operator's invitation. */
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

/** Something that an operator did in the dashboard, or was asked for. Events that it caused name its id as their cause, and nothing else. */
export type AuditEntry = {
  id: string
  at: number
  /** Who did it, or asked. */
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
    // No address: messages are logged.
    super('another account has this address, identity or id')
  }
}

/** What all spellings of one address have in common: the case of letters, and how accents are put together, are not. */
export const addressKey = (email: string): string => email.normalize('NFC').toLowerCase()

/**
 * Stores accounts.
 *
 * Guarantees:
 * - An address, in any of its spellings (`addressKey`), and an identity belong to one account at most, also when two are
 *   made at once.
 * - A change of one document is stored whole or not at all, is on disk when its promise resolves, and is seen by every
 *   process at once.
 * - A token is taken by one caller only, however many try.
 * - Sessions and tokens that have expired are not returned, and are removed some time later.
 * - What is returned is the caller's own copy.
 * - While the store is away, methods reject with UnreachableError within seconds. It is then unknown whether a change was
 *   stored. Every method but `create`, `takeToken`, `takePlace` and `addAudit` may simply be called again.
 *
 * An account and its sessions are different documents. A sign-in that is under way while the password is changed, or the
 * account removed, may put its session after those of the account were ended: it has to look at the account again once
 * it has put the session, and to end the session where the password is another one or the account is gone.
 */
export interface Accounts extends SealedEntries {
  /** @throws AccountTakenError */
  create(account: Account): Promise<void>
  get(id: string): Promise<Account | undefined>
  byEmail(email: string): Promise<Account | undefined>
  byIdentity(identity: string): Promise<Account | undefined>
  /**
   * Changes an account as it is at this moment: `change` may be called again where another change came first.
   * @param change returns a new account, with the same id; undefined: leave it. It writes to nothing
   * @returns the account as it now is; undefined where there is none
   * @throws AccountTakenError
   */
  update(id: string, change: (account: Account) => Account | undefined): Promise<Account | undefined>
  /** Removes the account, then its sessions and tokens. Again: also what a crash has left of them. */
  remove(id: string): Promise<void>
  /** All accounts by their ids, in pages. @param after the last id of the page before; empty: from the beginning */
  page(after: string, limit: number): Promise<Account[]>
  /** Accounts that are members of an organization, first the one that has been for longest. */
  membersOf(orgId: string): Promise<Account[]>
  /** Accounts that were made before an instant and have a promised organization, which may not be made. Oldest first. */
  withPromise(before: number): Promise<Account[]>

  putSession(session: Session): Promise<void>
  session(hash: string, now: number): Promise<Session | undefined>
  /** Notes when a session was last seen; never an earlier instant. It is a write: once a minute is often enough. */
  seen(hash: string, at: number): Promise<void>
  /** The sessions of an account, newest first. */
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

  /**
   * Takes one of the places of a day (`2026-01-31`). A call that rejects may have taken one; there are never more.
   * @returns false where all `places` are taken
   */
  takePlace(day: string, places: number): Promise<boolean>

  /** Adds an entry; the same one again changes nothing. @returns whether it is new: of several at once, to one caller */
  addAudit(entry: AuditEntry): Promise<boolean>
  /**
   * Newest first; those of one instant by their ids, backwards. Entries of one instant come together, also where that
   * makes more than `limit`: the next page begins `before` the last of them, and none is lost between pages.
   * @param question `before`: only entries older than this instant; `orgId`: only those about this organization
   */
  audits(question: { before?: number; limit: number; orgId?: string }): Promise<AuditEntry[]>

  [Symbol.asyncDispose](): PromiseLike<void>
}
