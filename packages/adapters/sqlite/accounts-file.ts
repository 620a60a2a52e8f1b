import { basename } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { saysDamaged } from './damaged-file.ts'
import { inTransaction } from './transaction.ts'

const version = 2

/**
 * An account is JSON, with the fields that queries use beside it. `members` repeats the memberships, to list an
 * organization's members. Removed rows are overwritten with zeros (secure_delete).
 */
const schema = `
CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  address TEXT NOT NULL UNIQUE,
  identity TEXT UNIQUE,
  promised_since INTEGER,
  json TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX accounts_by_promise ON accounts (promised_since) WHERE promised_since IS NOT NULL;
CREATE TABLE members (
  org_id TEXT NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
  PRIMARY KEY (org_id, account_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX members_by_account ON members (account_id);
CREATE TABLE sessions (
  hash TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_account ON sessions (account_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);
CREATE TABLE tokens (
  hash TEXT PRIMARY KEY,
  purpose TEXT NOT NULL,
  account_id TEXT,
  org_id TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  json TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_by_account ON tokens (account_id);
CREATE INDEX tokens_by_organization ON tokens (org_id);
CREATE INDEX tokens_by_end ON tokens (expires_at);
CREATE TABLE places (day TEXT PRIMARY KEY, taken INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE audits (id TEXT PRIMARY KEY, at INTEGER NOT NULL, org_id TEXT, json TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX audits_by_time ON audits (at, id);
CREATE INDEX audits_by_organization ON audits (org_id, at, id);
CREATE TABLE sealed (id TEXT PRIMARY KEY, org_id TEXT NOT NULL, sealed TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX sealed_by_organization ON sealed (org_id);
`

/**
 * Opens the accounts file, and creates it if it is missing. Several processes may have it open.
 * @throws Error it is damaged, or of a newer version
 */
export function openAccountsFile(path: string, busyTimeoutMs: number): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs })
  try {
    // FULL: an answered change survives a power cut. Accounts cannot be rebuilt from the events.
    database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY',
    )
    prepare(database, basename(path))
    return database
  } catch (error) {
    database.close()
    if (saysDamaged(error))
      throw new Error(`${basename(path)} is damaged; stop the service and put a backup in its place`, { cause: error })
    throw error
  }
}

function prepare(database: DatabaseSync, name: string): void {
  const found = () => Number(database.prepare('PRAGMA user_version').get()?.user_version)
  if (found() === 0) {
    inTransaction(database, () => {
      // Another process may have been first.
      if (found() === 0) database.exec(`${schema}; PRAGMA user_version = ${version}`)
    })
  }
  if (found() !== version)
    throw new Error(`${name} is of version ${found()}, and this program reads version ${version}: use a newer one`)
}
