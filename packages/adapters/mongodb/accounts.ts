import type { Filter, FindCursor } from 'mongodb'
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
import { assertSameId, byJoining } from '../account-fields.ts'
import {
  type AccountCollections,
  type AccountRow,
  accountCollections,
  accountRow,
  fromJson,
  type HeldAudit,
  heldAudit,
  heldSession,
  heldToken,
  makeAccountIndexes,
  sessionOf,
} from './account-collections.ts'
import { inReach, type MongoConnection } from './connection.ts'
import { isDuplicate } from './generations.ts'
import { withoutRace } from './guarded-writes.ts'
import { onceDone } from './once-done.ts'

/**
 * Accounts in a database that services share. It works on a single server and on a replica set, because it uses guarded
 * writes instead of transactions. The driver may repeat a guarded write safely. Does not wait for the server.
 */
export const openMongoAccounts = (connection: MongoConnection): Accounts => new MongoAccounts(connection)

class MongoAccounts implements Accounts {
  readonly #collections: AccountCollections
  #whenIndexed: () => Promise<unknown>

  constructor({ db }: MongoConnection) {
    this.#collections = accountCollections(db)
    this.#whenIndexed = this.#indexed()
  }

  #indexed(): () => Promise<unknown> {
    return onceDone(() => makeAccountIndexes(this.#collections))
  }

  /** @throws UnreachableError @throws RefusedError */
  async #ask<T>(question: (collections: AccountCollections) => Promise<T>): Promise<T> {
    return inReach(this.#whenIndexed().then(() => question(this.#collections)))
  }

  async #all<T>(find: (collections: AccountCollections) => FindCursor<{ json: string }>): Promise<T[]> {
    return (await this.#ask((all) => find(all).toArray())).map(fromJson<T>)
  }

  async create(account: Account): Promise<void> {
    // Checks the indexes again. If the database was emptied, its indexes are gone, and without them an address could
    // have two accounts.
    this.#whenIndexed = this.#indexed()
    await unlessTaken(this.#ask(({ accounts }) => accounts.insertOne(accountRow(account, 0))))
  }

  async get(id: string): Promise<Account | undefined> {
    return this.#account({ _id: id })
  }

  async byEmail(email: string): Promise<Account | undefined> {
    return this.#account({ address: addressKey(email) })
  }

  async byIdentity(identity: string): Promise<Account | undefined> {
    return this.#account({ identity })
  }

  async #account(filter: { _id: string } | { address: string } | { identity: string }): Promise<Account | undefined> {
    const held = await this.#ask(({ accounts }) => accounts.findOne(filter))
    return held === null ? undefined : fromJson<Account>(held)
  }

  async update(id: string, change: (account: Account) => Account | undefined): Promise<Account | undefined> {
    // This loop ends: each time our change is too late, another change was stored.
    while (true) {
      const held = await this.#ask(({ accounts }) => accounts.findOne({ _id: id }))
      if (held === null) return undefined
      const account = fromJson<Account>(held)
      const changed = change(account)
      if (changed === undefined) return account
      assertSameId(id, changed)
      if (await this.#replace(held, changed)) return changed
    }
  }

  /** @returns false if it has been changed since it was read @throws AccountTakenError */
  async #replace({ _id, revision }: AccountRow, changed: Account): Promise<boolean> {
    const replacement = accountRow(changed, revision + 1)
    const done = this.#ask(({ accounts }) => accounts.replaceOne({ _id, revision }, replacement))
    return (await unlessTaken(done)).matchedCount === 1
  }

  async remove(id: string): Promise<void> {
    await this.#ask(async ({ accounts, sessions, tokens }) => {
      // The account first: after a crash in between, its sessions and tokens belong to no account until they expire.
      await accounts.deleteOne({ _id: id })
      await Promise.all([sessions.deleteMany({ accountId: id }), tokens.deleteMany({ accountId: id })])
    })
  }

  async page(after: string, limit: number): Promise<Account[]> {
    const areLater = { _id: { $gt: after } }
    return this.#all(({ accounts }) => accounts.find(areLater).sort({ _id: 1 }).limit(limit))
  }

  async membersOf(orgId: string): Promise<Account[]> {
    const found = await this.#all<Account>(({ accounts }) => accounts.find({ orgIds: orgId }))
    return found.sort(byJoining(orgId))
  }

  async withPromise(before: number): Promise<Account[]> {
    const isOlder = { promisedSince: { $lt: before } }
    return this.#all(({ accounts }) => accounts.find(isOlder).sort({ promisedSince: 1 }))
  }

  async putSession(session: Session): Promise<void> {
    const held = heldSession(session)
    await withoutRace(() => this.#ask(({ sessions }) => sessions.replaceOne({ _id: held._id }, held, { upsert: true })))
  }

  async session(hash: string, now: number): Promise<Session | undefined> {
    const isLive = { _id: hash, expires: { $gt: new Date(now) } }
    const held = await this.#ask(({ sessions }) => sessions.findOne(isLive))
    return held === null ? undefined : sessionOf(held)
  }

  async seen(hash: string, at: number): Promise<void> {
    await this.#ask(({ sessions }) => sessions.updateOne({ _id: hash }, { $max: { lastSeenAt: at } }))
  }

  async sessionsOf(accountId: string, now: number): Promise<Session[]> {
    const areLive = { accountId, expires: { $gt: new Date(now) } }
    const found = await this.#ask(({ sessions }) => sessions.find(areLive).sort({ createdAt: -1 }).toArray())
    return found.map(sessionOf)
  }

  async endSession(hash: string): Promise<void> {
    await this.#ask(({ sessions }) => sessions.deleteOne({ _id: hash }))
  }

  async endSessions(accountId: string, except = ''): Promise<void> {
    await this.#ask(({ sessions }) => sessions.deleteMany({ accountId, _id: { $ne: except } }))
  }

  async putToken(token: Token): Promise<void> {
    const held = heldToken(token)
    await withoutRace(() => this.#ask(({ tokens }) => tokens.replaceOne({ _id: held._id }, held, { upsert: true })))
  }

  async token(hash: string, now: number): Promise<Token | undefined> {
    const isLive = { _id: hash, expires: { $gt: new Date(now) } }
    const held = await this.#ask(({ tokens }) => tokens.findOne(isLive))
    return held === null ? undefined : fromJson<Token>(held)
  }

  /** The caller that deletes the token has taken it. */
  async takeToken(hash: string, now: number): Promise<Token | undefined> {
    const token = await this.token(hash, now)
    if (token === undefined) return undefined
    const { deletedCount } = await this.#ask(({ tokens }) => tokens.deleteOne({ _id: hash }))
    return deletedCount === 1 ? token : undefined
  }

  async invitationsOf(orgId: string, now: number): Promise<Token[]> {
    const areLive = { orgId, expires: { $gt: new Date(now) } }
    return this.#all(({ tokens }) => tokens.find(areLive).sort({ createdAt: 1 }))
  }

  async dropTokens(accountId: string, purpose: Token['purpose']): Promise<void> {
    await this.#ask(({ tokens }) => tokens.deleteMany({ accountId, purpose }))
  }

  async takePlace(day: string, places: number): Promise<boolean> {
    const begin = { $setOnInsert: { taken: 0 } }
    await withoutRace(() => this.#ask((all) => all.places.updateOne({ _id: day }, begin, { upsert: true })))
    const isFree = { _id: day, taken: { $lt: places } }
    const done = await this.#ask((all) => all.places.updateOne(isFree, { $inc: { taken: 1 } }))
    return done.matchedCount === 1
  }

  async addAudit(entry: AuditEntry): Promise<boolean> {
    return isNew(this.#ask(({ audits }) => audits.insertOne(heldAudit(entry))))
  }

  async audits(question: { before?: number; limit: number; orgId?: string }): Promise<AuditEntry[]> {
    const { before, limit, orgId } = question
    const isAsked = { ...(orgId !== undefined && { orgId }), ...(before !== undefined && { at: { $lt: before } }) }
    const page = await this.#audits(isAsked, limit)
    const last = page.at(-1)
    if (last === undefined || page.length < limit) return page.map(fromJson<AuditEntry>)
    const ofLastInstant = await this.#audits({ ...isAsked, at: last.at })
    return [...page.filter(({ at }) => at > last.at), ...ofLastInstant].map(fromJson<AuditEntry>)
  }

  /** @param limit 0: all */
  #audits(filter: Filter<HeldAudit>, limit = 0): Promise<HeldAudit[]> {
    return this.#ask(({ audits }) => audits.find(filter).sort({ at: -1, _id: -1 }).limit(limit).toArray())
  }

  async putSealed({ id, ...entry }: SealedEntry, before: string | undefined): Promise<boolean> {
    if (before !== undefined)
      return (await this.#ask(({ sealed }) => sealed.replaceOne({ _id: id, sealed: before }, entry))).matchedCount > 0
    return isNew(this.#ask(({ sealed }) => sealed.insertOne({ _id: id, ...entry })))
  }

  async sealed(id: string): Promise<SealedEntry | undefined> {
    const held = await this.#ask(({ sealed }) => sealed.findOne({ _id: id }))
    return held === null ? undefined : { id, orgId: held.orgId, sealed: held.sealed }
  }

  async removeSealed(id: string, held?: string): Promise<void> {
    await this.#ask(({ sealed }) => sealed.deleteOne({ _id: id, ...(held !== undefined && { sealed: held }) }))
  }

  async removeSealedOf(orgId: string): Promise<void> {
    await this.#ask(({ sealed }) => sealed.deleteMany({ orgId }))
  }

  /** The connection belongs to the code that opened it. */
  async [Symbol.asyncDispose](): Promise<void> {}
}

/** Whether a document was inserted; false if one with its id was there. */
const isNew = (insert: Promise<unknown>): Promise<boolean> =>
  insert.then(
    () => true,
    (error: unknown) => {
      if (isDuplicate(error)) return false
      throw error
    },
  )

/** @throws AccountTakenError in place of E11000, because that error's message contains the address */
async function unlessTaken<T>(write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    throw isDuplicate(error) ? new AccountTakenError() : error
  }
}
