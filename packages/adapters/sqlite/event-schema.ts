import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { otherFormat, storeFormat } from '#packages/events/format/store-format.ts'
import { inTransaction } from './transaction.ts'

/** The categories of nearly all events. Their followers read the table of events without an index. */
export const frequentCategories = ['job-', 'credits-']

/*
 * Stream names are stored once. A category is the part of the name up to the first dash. With the index of the rare
 * categories, their followers skip millions of other events without reading them.
 * `streams` records the end of each stream, and `ends` that of the whole file, so that a missing end is noticed.
 * Positions have no gaps, except for those in `removals`. None is used twice.
 */
const schema = `
CREATE TABLE categories (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE streams (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  category INTEGER NOT NULL REFERENCES categories (id),
  removed INTEGER NOT NULL DEFAULT 0,
  first INTEGER NOT NULL DEFAULT 0,
  last INTEGER NOT NULL DEFAULT -1,
  head INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE events (
  position INTEGER PRIMARY KEY,
  stream INTEGER NOT NULL REFERENCES streams (id),
  revision INTEGER NOT NULL,
  category INTEGER NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  version INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  metadata TEXT NOT NULL,
  data NOT NULL,
  previous INTEGER NOT NULL,
  checksum INTEGER NOT NULL
);
CREATE UNIQUE INDEX events_by_stream ON events (stream, revision);
CREATE INDEX events_of_rare_categories ON events (category) WHERE category > ${frequentCategories.length};
CREATE TABLE removals (first INTEGER PRIMARY KEY, last INTEGER NOT NULL);
CREATE TABLE ends (id INTEGER PRIMARY KEY CHECK (id = 1), position INTEGER NOT NULL, checksum INTEGER NOT NULL);
INSERT INTO ends (id, position, checksum) VALUES (1, 0, 0);
${frequentCategories.map((name, index) => `INSERT INTO categories (id, name) VALUES (${index + 1}, '${name}');`).join('\n')}
`

/*
 * The file's id, which shows whether views were made from it. `accepted_end`: the position after which an operator
 * has accepted that events are missing. The file then got a new id.
 */
const origin = `
CREATE TABLE origin (id TEXT NOT NULL, accepted_end INTEGER);
INSERT INTO origin (id) VALUES (lower(hex(randomblob(16))));
`

/** The prefix that all stream names of a kind share: `job-` of `job-17`. */
export const categoryOf = (stream: string): string => stream.slice(0, stream.indexOf('-') + 1) || stream

export const versionOf = (database: DatabaseSync): number =>
  Number(database.prepare('PRAGMA user_version').get()?.user_version)

/**
 * Whether the tables exist.
 * @throws Error the file is of another format
 */
function hasTables(database: DatabaseSync, path: string): boolean {
  const found = versionOf(database)
  if (found === 0 || found === storeFormat) return found !== 0
  throw new Error(`the folder ${dirname(path)} has ${otherFormat(found, 'set DATA_DIR to another folder')}`)
}

/** @throws Error there are no tables, or they are of another format */
export function assertTables(database: DatabaseSync, path: string): void {
  if (!hasTables(database, path)) throw new Error(`${path} holds no events`)
}

/**
 * Creates the missing tables.
 * @throws Error the file is of another format
 */
export function prepareEventFile(database: DatabaseSync, path: string): void {
  // A file of another format is refused before anything in it changes.
  hasTables(database, path)
  // FULL: an append is answered only once it is on the disk. secure_delete: removed personal data is overwritten in the
  // pages. No auto_vacuum: it moves pages with every removal, and the file is rewritten at night anyway.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON')
  inTransaction(database, () => {
    if (hasTables(database, path)) return
    database.exec(schema)
    database.exec(origin)
    database.exec(`PRAGMA user_version = ${storeFormat}`)
  })
}
