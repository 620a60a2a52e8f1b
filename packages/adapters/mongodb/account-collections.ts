import type { Collection, Db, IndexDescription } from 'mongodb'
import type { Account, AuditEntry, Session, Token } from '#packages/ports/accounts.ts'
import { accountFields } from '../account-fields.ts'

/**
 * How accounts are stored. The JSON text preserves every name and value. The fields that queries use are stored beside
 * it.
 */
type Held = { _id: string; json: string }

/** `revision` counts the changes; each change requires the one before. Fields are absent rather than null. */
export type AccountRow = Held & {
  address: string
  identity?: string
  orgIds: string[]
  promisedSince?: number
  revision: number
}

/** `expires` is a date, because MongoDB's TTL index needs one. */
export type HeldSession = Omit<Session, 'hash' | 'expiresAt'> & { _id: string; expires: Date }

export type HeldToken = Held & Pick<Token, 'accountId' | 'purpose' | 'createdAt'> & { orgId?: string; expires: Date }

export type HeldPlaces = { _id: string; taken: number }

export type HeldAudit = Held & { at: number; orgId?: string }

export type HeldSealed = { _id: string; orgId: string; sealed: string }

export type AccountCollections = {
  accounts: Collection<AccountRow>
  sessions: Collection<HeldSession>
  tokens: Collection<HeldToken>
  places: Collection<HeldPlaces>
  audits: Collection<HeldAudit>
  sealed: Collection<HeldSealed>
}

export const accountCollections = (db: Db): AccountCollections => ({
  accounts: db.collection('accounts'),
  sessions: db.collection('account_sessions'),
  tokens: db.collection('account_tokens'),
  places: db.collection('account_places'),
  audits: db.collection('account_audits'),
  sealed: db.collection('account_sealed'),
})

/**
 * MongoDB removes what expired a day ago, by its own clock. Callers use their own clocks, which may be behind, and must
 * not find that something is gone too early.
 */
const swept: IndexDescription = { key: { expires: 1 }, expireAfterSeconds: 86_400 }

/** Sparse: the index contains and compares only documents that have the field. */
const indexes: Readonly<Partial<Record<keyof AccountCollections, IndexDescription[]>>> = {
  accounts: [
    { key: { address: 1 }, unique: true },
    { key: { identity: 1 }, unique: true, sparse: true },
    { key: { orgIds: 1 } },
    { key: { promisedSince: 1 }, sparse: true },
  ],
  sessions: [{ key: { accountId: 1 } }, swept],
  tokens: [{ key: { accountId: 1 } }, { key: { orgId: 1 }, sparse: true }, swept],
  audits: [{ key: { at: -1, _id: -1 } }, { key: { orgId: 1, at: -1, _id: -1 } }],
  sealed: [{ key: { orgId: 1 } }],
}

/** Creates the missing indexes. Those of addresses and identities are unique. */
export async function makeAccountIndexes(collections: AccountCollections): Promise<void> {
  for (const [name, wanted] of Object.entries(indexes))
    await collections[name as keyof AccountCollections].createIndexes(wanted)
}

export function accountRow(account: Account, revision: number): AccountRow {
  const { address, identity, orgIds, promisedSince } = accountFields(account)
  return {
    _id: account.id,
    address,
    ...(identity !== null && { identity }),
    orgIds,
    ...(promisedSince !== null && { promisedSince }),
    revision,
    json: JSON.stringify(account),
  }
}

export const heldSession = ({ hash, expiresAt, ...session }: Session): HeldSession => {
  return { _id: hash, ...session, expires: new Date(expiresAt) }
}

export const sessionOf = ({ _id, expires, ...session }: HeldSession): Session => {
  return { hash: _id, ...session, expiresAt: expires.getTime() }
}

export function heldToken(token: Token): HeldToken {
  const { hash, accountId, purpose, gives, createdAt, expiresAt } = token
  const found = { accountId, purpose, ...(gives !== null && { orgId: gives.orgId }) }
  return { _id: hash, ...found, createdAt, expires: new Date(expiresAt), json: JSON.stringify(token) }
}

export const heldAudit = (entry: AuditEntry): HeldAudit => {
  const { id, at, orgId } = entry
  return { _id: id, at, ...(orgId !== null && { orgId }), json: JSON.stringify(entry) }
}

export const fromJson = <T>({ json }: { json: string }): T => JSON.parse(json)
