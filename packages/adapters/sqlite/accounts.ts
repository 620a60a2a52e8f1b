import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import {
  type Account,
  type Accounts,
  AccountTakenError,
  type AuditEntry,
  addressKey,
  type Session,
  type Token,
} from '#packages/ports/accounts.ts'
import type { SealedEntry } from '#packages/ports/sealed-entries.ts'
import { UnreachableError, UnwritableError } from '#packages/ports/unreachable.ts'
import { accountFields, assertSameId, byJoining } from '../account-fields.ts'
import { openAccountsFile } from './accounts-file.ts'
import { emptyLog } from './empty-log.ts'
import { codeOf, saysUnwritable } from './error-code.ts'
import { noteRemoval } from './removals-since-vacuum.ts'
import { inTransaction } from './transaction.ts'

export type SqliteAccountsOptions = {
  /** The file; its folder must exist. `:memory:` for tests without a disk. */
  path: string
  /** How long a change waits for another process's change or VACUUM, milliseconds. Default 5,000. */
  busyTimeoutMs?: number
}

/** Opens the accounts file. @throws Error it is damaged, or of a newer version */
export function openSqliteAccounts({ path, busyTimeoutMs = 5000 }: SqliteAccountsOptions): Accounts {
  return new SqliteAccounts(openAccountsFile(path, busyTimeoutMs))
}

type Row = Record<string, SQLOutputValue>
type Values = Record<string, SQLInputValue>

const sessionColumns = `hash, account_id AS accountId, created_at AS createdAt, last_seen_at AS lastSeenAt,
  expires_at AS expiresAt`

/**
 * Accounts in their own file, which the service and commands may have open at once. Calls are synchronous. A read takes
 * some microseconds; a change waits for the disk, and changes are rare.
 */
class SqliteAccounts implements Accounts {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  async create(account: Account): Promise<void> {
    this.#write(() => {
      this.#unlessTaken('INSERT INTO accounts VALUES (:id, :address, :identity, :promisedSince, :json)', account)
    })
  }

  async get(id: string): Promise<Account | undefined> {
    return this.#account('SELECT json FROM accounts WHERE id = :id', { id })
  }

  async byEmail(email: string): Promise<Account | undefined> {
    return this.#account('SELECT json FROM accounts WHERE address = :address', { address: addressKey(email) })
  }

  async byIdentity(identity: string): Promise<Account | undefined> {
    return this.#account('SELECT json FROM accounts WHERE identity = :identity', { identity })
  }

  #account(sql: string, values: Values): Account | undefined {
    return this.#all(sql, values).map(fromJson<Account>)[0]
  }

  async update(id: string, change: (account: Account) => Account | undefined): Promise<Account | undefined> {
    return this.#write(() => {
      const account = this.#account('SELECT json FROM accounts WHERE id = :id', { id })
      const changed = account && change(account)
      if (changed === undefined) return account
      assertSameId(id, changed)
      this.#unlessTaken(
        `UPDATE accounts SET address = :address, identity = :identity, promised_since = :promisedSince, json = :json
         WHERE id = :id`,
        changed,
      )
      return changed
    })
  }

  /** Writes the row of an account, then its memberships. @throws AccountTakenError */
  #unlessTaken(sql: string, account: Account): void {
    const { id } = account
    const { orgIds, ...fields } = accountFields(account)
    try {
      this.#run(sql, { id, ...fields, json: JSON.stringify(account) })
    } catch (error) {
      throw isConstraint(error) ? new AccountTakenError() : error
    }
    this.#run('DELETE FROM members WHERE account_id = :id', { id })
    for (const orgId of orgIds) this.#run('INSERT INTO members VALUES (:orgId, :id)', { orgId, id })
  }

  async remove(id: string): Promise<void> {
    this.#write(() => {
      this.#removePersonal('DELETE FROM accounts WHERE id = :id', { id })
      this.#run('DELETE FROM sessions WHERE account_id = :id', { id })
      this.#removePersonal('DELETE FROM tokens WHERE account_id = :id', { id })
    })
    // If a backup reads an older state, the log still contains the person until the nightly VACUUM.
    this.#read(() => emptyLog(this.#database))
  }

  /** Copies of rows that SQLite has moved stay in unused bytes until the next VACUUM. */
  #removePersonal(sql: string, values: Values): void {
    if (this.#run(sql, values) > 0) noteRemoval(this.#database)
  }

  async page(after: string, limit: number): Promise<Account[]> {
    const sql = 'SELECT json FROM accounts WHERE id > :after ORDER BY id LIMIT :limit'
    return this.#all(sql, { after, limit }).map(fromJson<Account>)
  }

  async membersOf(orgId: string): Promise<Account[]> {
    const sql = 'SELECT json FROM accounts WHERE id IN (SELECT account_id FROM members WHERE org_id = :orgId)'
    return this.#all(sql, { orgId })
      .map(fromJson<Account>)
      .sort(byJoining(orgId))
  }

  async withPromise(before: number): Promise<Account[]> {
    const sql = 'SELECT json FROM accounts WHERE promised_since < :before ORDER BY promised_since'
    return this.#all(sql, { before }).map(fromJson<Account>)
  }

  async putSession(session: Session): Promise<void> {
    this.#write(() => {
      this.#sweep('sessions', session.createdAt)
      this.#run('INSERT OR REPLACE INTO sessions VALUES (:hash, :accountId, :createdAt, :lastSeenAt, :expiresAt)', {
        ...session,
      })
    })
  }

  async session(hash: string, now: number): Promise<Session | undefined> {
    const sql = `SELECT ${sessionColumns} FROM sessions WHERE hash = :hash AND expires_at > :now`
    return this.#all(sql, { hash, now }).map(toSession)[0]
  }

  async seen(hash: string, at: number): Promise<void> {
    const sql = 'UPDATE sessions SET last_seen_at = :at WHERE hash = :hash AND last_seen_at < :at'
    this.#write(() => this.#run(sql, { hash, at }))
  }

  async sessionsOf(accountId: string, now: number): Promise<Session[]> {
    const sql = `SELECT ${sessionColumns} FROM sessions WHERE account_id = :accountId AND expires_at > :now
      ORDER BY created_at DESC`
    return this.#all(sql, { accountId, now }).map(toSession)
  }

  async endSession(hash: string): Promise<void> {
    this.#write(() => this.#run('DELETE FROM sessions WHERE hash = :hash', { hash }))
  }

  async endSessions(accountId: string, except = ''): Promise<void> {
    const sql = 'DELETE FROM sessions WHERE account_id = :accountId AND hash <> :except'
    this.#write(() => this.#run(sql, { accountId, except }))
  }

  async putToken(token: Token): Promise<void> {
    const { hash, purpose, accountId, gives, createdAt, expiresAt } = token
    const json = JSON.stringify(token)
    this.#write(() => {
      this.#sweep('tokens', createdAt)
      this.#run(
        'INSERT OR REPLACE INTO tokens VALUES (:hash, :purpose, :accountId, :orgId, :createdAt, :expiresAt, :json)',
        { hash, purpose, accountId, orgId: gives?.orgId ?? null, createdAt, expiresAt, json },
      )
    })
  }

  async token(hash: string, now: number): Promise<Token | undefined> {
    return this.#token(hash, now)
  }

  #token(hash: string, now: number): Token | undefined {
    const sql = 'SELECT json FROM tokens WHERE hash = :hash AND expires_at > :now'
    return this.#all(sql, { hash, now }).map(fromJson<Token>)[0]
  }

  async takeToken(hash: string, now: number): Promise<Token | undefined> {
    return this.#write(() => {
      const token = this.#token(hash, now)
      if (token !== undefined) this.#removePersonal('DELETE FROM tokens WHERE hash = :hash', { hash })
      return token
    })
  }

  async invitationsOf(orgId: string, now: number): Promise<Token[]> {
    const sql = 'SELECT json FROM tokens WHERE org_id = :orgId AND expires_at > :now ORDER BY created_at'
    return this.#all(sql, { orgId, now }).map(fromJson<Token>)
  }

  async dropTokens(accountId: string, purpose: Token['purpose']): Promise<void> {
    const sql = 'DELETE FROM tokens WHERE account_id = :accountId AND purpose = :purpose'
    this.#write(() => this.#removePersonal(sql, { accountId, purpose }))
  }

  #sweep(table: 'sessions' | 'tokens', now: number): void {
    this.#removePersonal(`DELETE FROM ${table} WHERE expires_at <= :now`, { now })
  }

  async takePlace(day: string, places: number): Promise<boolean> {
    return this.#write(() => {
      this.#run('INSERT OR IGNORE INTO places VALUES (:day, 0)', { day })
      return (
        this.#run('UPDATE places SET taken = taken + 1 WHERE day = :day AND taken < :places', { day, places }) === 1
      )
    })
  }

  async addAudit(entry: AuditEntry): Promise<boolean> {
    const { id, at, orgId } = entry
    const json = JSON.stringify(entry)
    const sql = 'INSERT OR IGNORE INTO audits VALUES (:id, :at, :orgId, :json)'
    return this.#write(() => this.#run(sql, { id, at, orgId, json }) === 1)
  }

  async audits(question: { before?: number; limit: number; orgId?: string }): Promise<AuditEntry[]> {
    const { before = Number.MAX_SAFE_INTEGER, limit, orgId } = question
    const where = orgId === undefined ? 'at < :before' : 'org_id = :orgId AND at < :before'
    const values = { before, ...(orgId !== undefined && { orgId }) }
    const last = `SELECT at FROM audits WHERE ${where} ORDER BY at DESC LIMIT 1 OFFSET :limit - 1`
    const sql = `SELECT json FROM audits WHERE ${where} AND at >= coalesce((${last}), 0) ORDER BY at DESC, id DESC`
    return this.#all(sql, { ...values, limit }).map(fromJson<AuditEntry>)
  }

  async putSealed({ id, orgId, sealed }: SealedEntry, before: string | undefined): Promise<boolean> {
    const values = { id, orgId, sealed }
    return this.#write(() => {
      if (before === undefined)
        return this.#run('INSERT OR IGNORE INTO sealed VALUES (:id, :orgId, :sealed)', values) > 0
      const update = 'UPDATE sealed SET org_id = :orgId, sealed = :sealed WHERE id = :id AND sealed = :before'
      return this.#run(update, { ...values, before }) > 0
    })
  }

  async sealed(id: string): Promise<SealedEntry | undefined> {
    const [row] = this.#all('SELECT id, org_id AS orgId, sealed FROM sealed WHERE id = :id', { id })
    return row && ({ ...row } as SealedEntry)
  }

  async removeSealed(id: string, held?: string): Promise<void> {
    const where = held === undefined ? 'id = :id' : 'id = :id AND sealed = :held'
    const values = { id, ...(held !== undefined && { held }) }
    this.#write(() => this.#removePersonal(`DELETE FROM sealed WHERE ${where}`, values))
  }

  async removeSealedOf(orgId: string): Promise<void> {
    this.#write(() => this.#removePersonal('DELETE FROM sealed WHERE org_id = :orgId', { orgId }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#database.close()
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql)
    this.#statements.set(sql, known)
    return known
  }

  #all(sql: string, values: Values): Row[] {
    return this.#read(() => this.#statement(sql).all(values))
  }

  /** @returns how many rows it changed */
  #run(sql: string, values: Values): number {
    return Number(this.#statement(sql).run(values).changes)
  }

  /** @throws UnreachableError */
  #read<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw isAway(error) ? new UnreachableError('the file of the accounts', error) : error
    }
  }

  /** Runs work in a transaction, as the only writer among all processes. If it throws, nothing is stored. */
  #write<T>(work: () => T): T {
    return this.#read(() => {
      try {
        return inTransaction(this.#database, work)
      } catch (error) {
        throw saysUnwritable(error) ? new UnwritableError('the file of the accounts', error) : error
      }
    })
  }
}

const fromJson = <T>({ json }: Row): T => JSON.parse(String(json))

/** Rows have no prototype. */
const toSession = (row: Row): Session => ({ ...row }) as Session

/** SQLITE_CONSTRAINT. */
const isConstraint = (error: unknown): boolean => codeOf(error) === 19

/** SQLITE_BUSY, READONLY, IOERR, CORRUPT, FULL, CANTOPEN and NOTADB. */
const isAway = (error: unknown): boolean => [5, 8, 10, 11, 13, 14, 26].includes(codeOf(error))
