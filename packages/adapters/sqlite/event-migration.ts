import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { checksumOf, noPredecessor } from './event-checksum.ts'
import { categoryOf, makeTables, movedVersion, schemaVersion, setVersion, versionOf } from './event-schema.ts'
import { Removals } from './removals.ts'

/** The first version: without checksums. */
const oldVersion = 1

/** How much larger the new file may be: it also has checksums and predecessors. */
const mayGrow = 1.25

/** The path at which the new file is made. */
export const newPathOf = (path: string): string => `${path}.new`

/**
 * Rewrites an event file of version 1 as a new file of the present version, which takes its name once it is complete.
 * It may be killed at any moment: the next call goes on or begins anew. Files of other versions are left alone.
 * @throws Error another process has the file open, the disk has too little room, or events are missing in it
 */
export function migrateEventFile(path: string, busyTimeoutMs: number): void {
  // A second round, where another process migrated the file while this one waited.
  for (let round = 0; round < 2; round++) if (migrateOnce(path, busyTimeoutMs)) return
  throw new Error('it is being migrated by another process: start again')
}

/** @returns false where another file may be at the path by now */
function migrateOnce(path: string, busyTimeoutMs: number): boolean {
  if (!existsSync(path)) return true
  using old = new DatabaseSync(path, { timeout: busyTimeoutMs })
  const version = versionOf(old)
  if (version === movedVersion) {
    takeItsName(path)
    return false
  }
  if (version !== oldVersion) return true
  takeAlone(old, path)
  // Another process may have migrated it before this one got exclusive access.
  if (versionOf(old) !== oldVersion) return false
  copyInto(newPathOf(path), old, path)
  // From here on the new file counts: a process that opens the old one, now or after a crash, goes on to the new one.
  setVersion(old, movedVersion)
  old.exec('COMMIT')
  takeItsName(path)
  return true
}

/** Makes sure that no other process has the file open, and begins a transaction that keeps others out until it ends. */
function takeAlone(old: DatabaseSync, path: string): void {
  try {
    old.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; BEGIN EXCLUSIVE')
    if (old.prepare('PRAGMA journal_mode').get()?.journal_mode === 'delete') return
  } catch (cause) {
    if ((cause as { errcode?: number }).errcode !== 5) throw cause
  }
  throw new Error(`${basename(path)} is to be migrated, and another process has it open: stop that first`)
}

function takeItsName(path: string): void {
  const made = newPathOf(path)
  // Where it is gone, the new file has already taken the name.
  if (existsSync(made)) renameSync(made, path)
  syncPath(dirname(path))
}

function syncPath(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function copyInto(made: string, old: DatabaseSync, path: string): void {
  for (const suffix of ['', '-journal']) rmSync(made + suffix, { force: true })
  assertRoom(path)
  try {
    using target = new DatabaseSync(made)
    target.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN')
    makeTables(target)
    copyEvents(old, target)
    copyOrigin(old, target)
    setVersion(target, schemaVersion)
    target.exec('COMMIT')
  } catch (error) {
    rmSync(made, { force: true })
    throw error
  }
  syncPath(made)
}

function assertRoom(path: string): void {
  const { bavail, bsize } = statfsSync(dirname(path))
  const [free, wanted] = [bavail * bsize, Math.ceil(statSync(path).size * mayGrow)]
  if (free >= wanted) return
  throw new Error(`it is to be rewritten, which takes ${wanted} bytes beside it, and the disk has ${free} left`)
}

function copyOrigin(old: DatabaseSync, target: DatabaseSync): void {
  const hasName = old.prepare("SELECT 1 FROM sqlite_master WHERE name = 'origin'").get() !== undefined
  const id = hasName ? old.prepare('SELECT id FROM origin').get()?.id : undefined
  if (id !== undefined) target.prepare('UPDATE origin SET id = ?').run(id)
}

type Copied = { category: number; last: number; head: number }

/** Copies events in the order of their positions, then the streams with their ends. */
function copyEvents(old: DatabaseSync, target: DatabaseSync): void {
  const streams = copyStreams(old, target)
  const add = target.prepare(
    `INSERT INTO events
       (position, stream, revision, category, id, type, version, recorded_at, metadata, data, previous, checksum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const removals = new Removals(target)
  let [end, endChecksum] = [0, noPredecessor]
  const rows = old
    .prepare(
      `SELECT e.position, e.stream, s.name, e.revision, e.id, e.type, e.version, e.recorded_at, e.metadata, e.data
       FROM events e LEFT JOIN streams s ON s.id = e.stream ORDER BY e.position`,
    )
    .iterate()
  for (const { position, stream, name, revision, id, type, version, recorded_at, metadata, data } of rows) {
    const copied = streams.get(Number(stream))
    const place = `${String(name)}, revision ${revision}, position ${position}, id ${id}`
    if (copied === undefined) throw new Error(`the event at ${place} has no stream: the file is damaged`)
    if (Number(revision) !== copied.last + 1)
      throw new Error(`events are missing before the one at ${place}: the file is damaged`)
    const record = {
      ...{ stream: String(name), position: Number(position), revision: Number(revision), id: String(id) },
      ...{ type: String(type), version: Number(version), recordedAt: Number(recorded_at) },
      ...{ metadata: String(metadata), data: data as string | Uint8Array },
    }
    const checksum = checksumOf(record, copied.head)
    add.run(
      record.position,
      Number(stream),
      record.revision,
      copied.category,
      record.id,
      record.type,
      record.version,
      record.recordedAt,
      record.metadata,
      record.data,
      copied.head,
      checksum,
    )
    if (record.position > end + 1) removals.add(range(end + 1, record.position - 1))
    ;[end, endChecksum, copied.last, copied.head] = [record.position, checksum, record.revision, checksum]
  }
  const given = Number(old.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'").get()?.seq ?? 0)
  if (given > end) removals.add(range(end + 1, given))
  target.prepare('UPDATE ends SET position = ?, checksum = ?').run(Math.max(given, end), endChecksum)
  target.prepare('UPDATE origin SET migrated_end = ?').run(end)
  const finish = target.prepare('UPDATE streams SET last = ?, head = ? WHERE id = ?')
  for (const [id, { last, head }] of streams) if (last >= 0) finish.run(last, head, id)
}

const range = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, n) => first + n)

function copyStreams(old: DatabaseSync, target: DatabaseSync): Map<number, Copied> {
  const categories = new Map(
    target
      .prepare('SELECT name, id FROM categories')
      .all()
      .map((row) => [row.name, row.id]),
  )
  const addCategory = target.prepare('INSERT INTO categories (name) VALUES (?)')
  const add = target.prepare('INSERT INTO streams (id, name, category, removed) VALUES (?, ?, ?, ?)')
  const streams = new Map<number, Copied>()
  for (const { id, name, removed } of old.prepare('SELECT id, name, removed FROM streams ORDER BY id').iterate()) {
    const categoryName = categoryOf(String(name))
    const category = Number(categories.get(categoryName) ?? addCategory.run(categoryName).lastInsertRowid)
    categories.set(categoryName, category)
    add.run(Number(id), String(name), category, Number(removed))
    streams.set(Number(id), { category, last: -1, head: noPredecessor })
  }
  return streams
}
