/** Event files of version 1, made with the SQL of the program of that time. */
import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import type { EncodedRecord } from '#packages/events/codec.ts'

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
PRAGMA user_version = 1;
CREATE TABLE IF NOT EXISTS origin (id TEXT NOT NULL);
INSERT INTO origin (id) SELECT lower(hex(randomblob(16))) WHERE NOT EXISTS (SELECT 1 FROM origin);
`

const metadata = JSON.stringify({
  orgId: 'org-1',
  correlationId: 'correlation-1',
  causationId: 'causation-1',
  traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
})

/** The nth stream: ledgers have many events, keys few; the category is the part up to the dash. */
const streamOf = (n: number): string => (n % 50 === 0 ? `key-${n}` : n % 3 === 0 ? `credits-${n % 9}` : `job-${n >> 3}`)

/**
 * Writes a file with so many events, then removes some streams, among them that of the newest event. @returns the
 * events left
 */
export function writeVersion1(path: string, count: number): EncodedRecord[] {
  using database = new DatabaseSync(path)
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; ${schema}; BEGIN`)
  const category = database.prepare('INSERT INTO categories (name) VALUES (?) ON CONFLICT DO NOTHING')
  const categoryId = database.prepare('SELECT id FROM categories WHERE name = ?')
  const addStream = database.prepare('INSERT INTO streams (name, category) VALUES (?, ?) ON CONFLICT DO NOTHING')
  const streamId = database.prepare('SELECT id FROM streams WHERE name = ?')
  const add = database.prepare(
    `INSERT INTO events (stream, revision, category, id, type, version, recorded_at, metadata, data)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const lasts = new Map<string, number>()
  const records: EncodedRecord[] = []
  for (let n = 1; n <= count; n++) {
    const stream = n > count - 2 ? 'job-newest' : streamOf(n)
    const name = `${stream.split('-')[0]}-`
    category.run(name)
    const of = Number(categoryId.get(name)?.id)
    addStream.run(stream, of)
    const revision = (lasts.get(stream) ?? -1) + 1
    lasts.set(stream, revision)
    const [id, text] = [randomUUID(), JSON.stringify({ reason: `${n} ü` })]
    const record = { id, type: 'CaptionsUnavailable', version: 1, metadata, data: text }
    add.run(Number(streamId.get(stream)?.id), revision, of, id, record.type, 1, 1_700_000_000_000 + n, metadata, text)
    records.push({ ...record, stream, revision, position: n, recordedAt: 1_700_000_000_000 + n })
  }
  const gone = ['job-1', 'job-newest']
  for (const name of gone) {
    const id = Number(streamId.get(name)?.id)
    database.prepare('DELETE FROM events WHERE stream = ?').run(id)
    database.prepare('UPDATE streams SET removed = 1 WHERE id = ?').run(id)
  }
  database.exec('COMMIT')
  return records.filter(({ stream }) => !gone.includes(stream))
}
