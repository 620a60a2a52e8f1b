import { LRUCache } from 'lru-cache'
import type { Account, Accounts, Session } from '#packages/ports/accounts.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { newSecretToken, tokenHash } from './secret-token.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** The longest that a session lasts, milliseconds. */
export const SESSION_LASTS_MS = 30 * DAY_MS
const IDLE_MS = 14 * DAY_MS
const SEEN_EVERY_MS = 60_000

/** The most sessions of one person. Each is stored for weeks, and takes a line on the person's page. */
const MAX_SESSIONS = 50

/** The most sessions with their persons in memory. */
const MAX_HELD = 10_000

/** The person who sends a request, and the session. */
export type SignedIn = { account: Account; session: Session }

/** Sessions of people. Each request reads the store: a session that is ended anywhere has ended everywhere. */
export class Sessions {
  readonly #accounts: Accounts
  readonly #clock: Clock
  /** Ids of accounts by the hash of a session's token, as the last request found them. */
  readonly #held = new LRUCache<string, string>({ max: MAX_HELD })

  constructor({ accounts, clock }: { accounts: Accounts; clock: Clock }) {
    this.#accounts = accounts
    this.#clock = clock
  }

  /**
   * Begins a session under a new token, whatever the browser had before. Beyond the limit, the least recently seen
   * sessions end. @returns the token, which is not stored anywhere
   */
  async begin(accountId: string): Promise<string> {
    const { token, hash } = newSecretToken()
    const now = this.#clock.now()
    const spare = (await this.list(accountId)).slice(MAX_SESSIONS - 1)
    for (const one of spare) await this.#accounts.endSession(one.hash)
    await this.#accounts.putSession({
      hash,
      accountId,
      createdAt: now,
      lastSeenAt: now,
      expiresAt: now + SESSION_LASTS_MS,
    })
    return token
  }

  /**
   * The id of the account that had this session at its last request. Reads nothing, so the session may have ended
   * since.
   */
  held(token: string): string | undefined {
    return this.#held.get(tokenHash(token))
  }

  /**
   * The person with this session. Undefined unless the token belongs to an active session: at most 30 days old, with a
   * request in the last 14.
   */
  async who(token: string): Promise<SignedIn | undefined> {
    const hash = tokenHash(token)
    const found = await this.#find(hash)
    if (found === undefined) this.#held.delete(hash)
    else this.#held.set(hash, found.account.id)
    return found
  }

  async #find(hash: string): Promise<SignedIn | undefined> {
    const now = this.#clock.now()
    const session = await this.#accounts.session(hash, now)
    if (session === undefined) return undefined
    if (now - session.lastSeenAt >= IDLE_MS) {
      await this.#accounts.endSession(session.hash)
      return undefined
    }
    const account = await this.#accounts.get(session.accountId)
    if (account === undefined) return undefined
    if (now - session.lastSeenAt >= SEEN_EVERY_MS) await this.#accounts.seen(session.hash, now)
    return { account, session }
  }

  async end(token: string): Promise<void> {
    await this.#accounts.endSession(tokenHash(token))
  }

  /** Ends one session from the list. Does nothing if it belongs to another person. */
  async endListed({ account }: SignedIn, hash: string): Promise<void> {
    const own = await this.list(account.id)
    if (own.some((session) => session.hash === hash)) await this.#accounts.endSession(hash)
  }

  /** Ends all sessions of a person except this one. */
  async endOthers({ account, session }: SignedIn): Promise<void> {
    await this.#accounts.endSessions(account.id, session.hash)
  }

  /** The active sessions of a person, the most recently seen first. */
  async list(accountId: string): Promise<Session[]> {
    const now = this.#clock.now()
    const sessions = await this.#accounts.sessionsOf(accountId, now)
    return sessions
      .filter(({ lastSeenAt }) => now - lastSeenAt < IDLE_MS)
      .sort((one, other) => other.lastSeenAt - one.lastSeenAt)
  }
}
