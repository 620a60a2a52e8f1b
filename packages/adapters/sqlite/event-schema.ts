import type { DatabaseSync } from 'node:sqlite'

const schemaVersion = 1

/*
 * Stream names are stored once. A category is the name's part up to the first dash: its index lets a follower of rare
 * streams pass over millions of others without reading them. AUTOINCREMENT, because a position may not be given twice,
 * not even when the last events were removed.
 */
const schema = `
CREATE TABLE categories (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE streams (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  category INTEGER NOT NULL REFERENCES categories (id),
  removed INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE events (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  stream INTEGER NOT NULL REFERENCES streams (id),
  revision INTEGER NOT NULL,
  category INTEGER NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  version INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  metadata TEXT NOT NULL,
  data NOT NULL,
  UNIQUE (stream, revision)
);
CREATE INDEX events_by_category ON events (category, position);
PRAGMA user_version = ${schemaVersion};
`

/*
 * The file's own name, by which views know whether they were made from it. Not part of a version: an older program
 * has no use for it, and a file without one gets one.
 */
const origin = `
CREATE TABLE IF NOT EXISTS origin (id TEXT NOT NULL);
INSERT INTO origin (id) SELECT lower(hex(randomblob(16))) WHERE NOT EXISTS (SELECT 1 FROM origin);
`

/** The part of a stream's name that is shared with its like: `job-` of `job-17`. */
export const categoryOf = (stream: string): string => stream.slice(0, stream.indexOf('-') + 1) || stream

function userVersion(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version)
}

/**
 * Makes the tables where they are missing.
 * @throws Error the file was written by a newer program
 */
export function prepareEventFile(database: DatabaseSync): void {
  // FULL: an append is answered only when the disk has it. secure_delete: removed personal data leaves the pages too.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON')
  database.exec('BEGIN IMMEDIATE')
  try {
    const found = userVersion(database)
    if (found > schemaVersion) throw new Error(`the event file has version ${found}, newer than this program`)
    if (found === 0) database.exec(schema)
    database.exec(origin)
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}
