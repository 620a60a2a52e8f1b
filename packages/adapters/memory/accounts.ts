import {
  type Account,
  type Accounts,
  AccountTakenError,
  type AuditEntry,
  addressKey,
  type Session,
  type Token,
} from '#packages/ports/accounts.ts'
import { accountFields, assertSameId, byJoining, byNewest } from '../account-fields.ts'

/** Accounts without a disk, for tests and the simulation. What goes in and out is a copy. */
export class MemoryAccounts implements Accounts {
  readonly #accounts = new Map<string, Account>()
  readonly #sessions = new Map<string, Session>()
  readonly #tokens = new Map<string, Token>()
  /** Places that were taken, by day. */
  readonly #places = new Map<string, number>()
  readonly #audits = new Map<string, AuditEntry>()

  async create(account: Account): Promise<void> {
    if (this.#accounts.has(account.id)) throw new AccountTakenError()
    this.#put(account)
  }

  #put(account: Account): void {
    const { address, identity } = accountFields(account)
    for (const other of this.#accounts.values()) {
      const taken = accountFields(other)
      const isSame = taken.address === address || (identity !== null && taken.identity === identity)
      if (other.id !== account.id && isSame) throw new AccountTakenError()
    }
    this.#accounts.set(account.id, structuredClone(account))
  }

  async get(id: string): Promise<Account | undefined> {
    return structuredClone(this.#accounts.get(id))
  }

  async byEmail(email: string): Promise<Account | undefined> {
    const address = addressKey(email)
    return this.#found((account) => addressKey(account.email) === address)[0]
  }

  async byIdentity(identity: string): Promise<Account | undefined> {
    return this.#found((account) => account.identity === identity)[0]
  }

  #found(isWanted: (account: Account) => boolean): Account[] {
    return structuredClone([...this.#accounts.values()].filter(isWanted))
  }

  async update(id: string, change: (account: Account) => Account | undefined): Promise<Account | undefined> {
    const account = structuredClone(this.#accounts.get(id))
    const changed = account && change(account)
    if (changed === undefined) return account
    assertSameId(id, changed)
    this.#put(changed)
    return structuredClone(changed)
  }

  async remove(id: string): Promise<void> {
    this.#accounts.delete(id)
    await this.endSessions(id)
    for (const { hash, accountId } of this.#tokens.values()) if (accountId === id) this.#tokens.delete(hash)
  }

  async page(after: string, limit: number): Promise<Account[]> {
    const found = this.#found(({ id }) => id > after)
    return found.sort((one, other) => (one.id < other.id ? -1 : 1)).slice(0, limit)
  }

  async membersOf(orgId: string): Promise<Account[]> {
    return this.#found((account) => accountFields(account).orgIds.includes(orgId)).sort(byJoining(orgId))
  }

  async withPromise(before: number): Promise<Account[]> {
    const found = this.#found((account) => account.promised !== null && account.createdAt < before)
    return found.sort((one, other) => one.createdAt - other.createdAt)
  }

  async putSession(session: Session): Promise<void> {
    sweep(this.#sessions, session.createdAt)
    this.#sessions.set(session.hash, structuredClone(session))
  }

  async session(hash: string, now: number): Promise<Session | undefined> {
    return unexpired(this.#sessions.get(hash), now)
  }

  async seen(hash: string, at: number): Promise<void> {
    const session = this.#sessions.get(hash)
    if (session !== undefined) session.lastSeenAt = Math.max(session.lastSeenAt, at)
  }

  async sessionsOf(accountId: string, now: number): Promise<Session[]> {
    const found = [...this.#sessions.values()].filter((each) => each.accountId === accountId && each.expiresAt > now)
    return structuredClone(found).sort((one, other) => other.createdAt - one.createdAt)
  }

  async endSession(hash: string): Promise<void> {
    this.#sessions.delete(hash)
  }

  async endSessions(id: string, except?: string): Promise<void> {
    for (const { hash, accountId } of this.#sessions.values())
      if (accountId === id && hash !== except) this.#sessions.delete(hash)
  }

  async putToken(token: Token): Promise<void> {
    sweep(this.#tokens, token.createdAt)
    this.#tokens.set(token.hash, structuredClone(token))
  }

  async token(hash: string, now: number): Promise<Token | undefined> {
    return unexpired(this.#tokens.get(hash), now)
  }

  async takeToken(hash: string, now: number): Promise<Token | undefined> {
    const token = unexpired(this.#tokens.get(hash), now)
    if (token !== undefined) this.#tokens.delete(hash)
    return token
  }

  async invitationsOf(orgId: string, now: number): Promise<Token[]> {
    const found = [...this.#tokens.values()].filter((each) => each.gives?.orgId === orgId && each.expiresAt > now)
    return structuredClone(found).sort((one, other) => one.createdAt - other.createdAt)
  }

  async dropTokens(id: string, purpose: Token['purpose']): Promise<void> {
    for (const { hash, ...token } of this.#tokens.values())
      if (token.accountId === id && token.purpose === purpose) this.#tokens.delete(hash)
  }

  async takePlace(day: string, places: number): Promise<boolean> {
    const taken = this.#places.get(day) ?? 0
    if (taken >= places) return false
    this.#places.set(day, taken + 1)
    return true
  }

  async addAudit(entry: AuditEntry): Promise<boolean> {
    if (this.#audits.has(entry.id)) return false
    this.#audits.set(entry.id, structuredClone(entry))
    return true
  }

  async audits(question: { before?: number; limit: number; orgId?: string }): Promise<AuditEntry[]> {
    const { before = Number.POSITIVE_INFINITY, limit, orgId } = question
    const isWanted = (entry: AuditEntry): boolean => entry.at < before && (orgId === undefined || entry.orgId === orgId)
    const found = [...this.#audits.values()].filter(isWanted).sort(byNewest)
    const last = found[limit - 1]?.at ?? Number.NEGATIVE_INFINITY
    return structuredClone(found.filter(({ at }) => at >= last))
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

const unexpired = <T extends { expiresAt: number }>(held: T | undefined, now: number): T | undefined =>
  held !== undefined && held.expiresAt > now ? structuredClone(held) : undefined

function sweep(held: Map<string, { expiresAt: number }>, now: number): void {
  for (const [hash, { expiresAt }] of held) if (expiresAt <= now) held.delete(hash)
}
