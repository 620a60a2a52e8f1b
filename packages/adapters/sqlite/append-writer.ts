import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { ExpectedRevision } from '#packages/ports/event-store.ts'
import { decideAppend } from '../append-decision.ts'
import type { EncodedEvent } from '../codec.ts'
import { categoryOf } from './event-schema.ts'

export type WriteRequest =
  | { kind: 'append'; stream: string; expected: ExpectedRevision; events: readonly EncodedEvent[] }
  | { kind: 'remove'; stream: string }

/** Everything but `failed` is known for certain. */
export type WriteOutcome =
  /** Of the last event. The positions of one append follow each other. Time: milliseconds since 1970, UTC. */
  | { kind: 'appended'; revision: number; position: number; recordedAt: number }
  | { kind: 'repeated'; revision: number; position: number }
  | { kind: 'conflict'; actual: ExpectedRevision }
  | { kind: 'stream-removed' }
  | { kind: 'failed'; reason: string }

type Stream = { id: number; category: number; removed: boolean; last: number }

/**
 * Writes requests to the event file, a group of them in one transaction. Each succeeds or fails on its own: conflicts
 * are found by reading inside the transaction, where no other process can write. Only an error of the disk fails all.
 */
export class AppendWriter {
  readonly #database: DatabaseSync
  readonly #findStream: StatementSync
  readonly #findIds: StatementSync
  readonly #findPosition: StatementSync
  readonly #findCategory: StatementSync
  readonly #addCategory: StatementSync
  readonly #addStream: StatementSync
  readonly #addEvent: StatementSync
  readonly #deleteEvents: StatementSync
  readonly #markRemoved: StatementSync

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#findStream = database.prepare(
      `SELECT id, category, removed, (SELECT max(revision) FROM events WHERE stream = streams.id) AS last
       FROM streams WHERE name = ?`,
    )
    this.#findIds = database.prepare(
      'SELECT id FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?',
    )
    this.#findPosition = database.prepare('SELECT position FROM events WHERE stream = ? AND revision = ?')
    this.#findCategory = database.prepare('SELECT id FROM categories WHERE name = ?')
    this.#addCategory = database.prepare('INSERT INTO categories (name) VALUES (?)')
    this.#addStream = database.prepare('INSERT INTO streams (name, category) VALUES (?, ?)')
    this.#addEvent = database.prepare(
      `INSERT INTO events (stream, revision, category, id, type, version, recorded_at, metadata, data)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#deleteEvents = database.prepare('DELETE FROM events WHERE stream = ?')
    this.#markRemoved = database.prepare('UPDATE streams SET removed = 1 WHERE id = ?')
  }

  /** One transaction; returns, once it is durable, one outcome for each request, in order. Never throws. */
  write(requests: readonly WriteRequest[]): WriteOutcome[] {
    try {
      this.#database.exec('BEGIN IMMEDIATE')
      const recordedAt = Date.now()
      const outcomes = requests.map((request) =>
        request.kind === 'append' ? this.#append(request, recordedAt) : this.#remove(request.stream),
      )
      this.#database.exec('COMMIT')
      // What was removed is to leave the disk as well, not to wait in the log for the next checkpoint.
      if (requests.some((request) => request.kind === 'remove')) {
        this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      }
      return outcomes
    } catch (error) {
      this.#rollBack()
      const reason = error instanceof Error ? error.message : String(error)
      return requests.map(() => ({ kind: 'failed', reason }))
    }
  }

  #rollBack(): void {
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
    } catch {
      // The failure that led here is the one to tell; the next BEGIN shows whether the file works again.
    }
  }

  #append({ stream: name, expected, events }: WriteRequest & { kind: 'append' }, recordedAt: number): WriteOutcome {
    const stream = this.#stream(name)
    if (stream?.removed) return { kind: 'stream-removed' }
    const end = {
      last: stream?.last ?? -1,
      idsFrom: (from: number, count: number) =>
        stream === undefined ? [] : this.#findIds.all(stream.id, from, count).map((row) => String(row.id)),
    }
    const ids = events.map((event) => event.id)
    const decision = decideAppend(end, expected, ids)
    if (decision.kind === 'conflict') return decision
    if (decision.kind === 'write') {
      return this.#insert(stream ?? this.#newStream(name), decision.firstRevision, events, recordedAt)
    }
    const row = stream && this.#findPosition.get(stream.id, decision.revision)
    return { kind: 'repeated', revision: decision.revision, position: Number(row?.position) }
  }

  #insert(
    stream: Stream,
    firstRevision: number,
    events: readonly EncodedEvent[],
    recordedAt: number,
  ): WriteOutcome & { kind: 'appended' } {
    let revision = firstRevision - 1
    let position = 0
    for (const { id, type, version, metadata, data } of events) {
      revision++
      const { lastInsertRowid } = this.#addEvent.run(
        stream.id,
        revision,
        stream.category,
        id,
        type,
        version,
        recordedAt,
        metadata,
        data,
      )
      position = Number(lastInsertRowid)
    }
    return { kind: 'appended', revision, position, recordedAt }
  }

  #remove(name: string): WriteOutcome {
    const stream = this.#stream(name) ?? this.#newStream(name)
    this.#deleteEvents.run(stream.id)
    this.#markRemoved.run(stream.id)
    return { kind: 'stream-removed' }
  }

  #stream(name: string): Stream | undefined {
    const row = this.#findStream.get(name)
    if (row === undefined) return undefined
    return {
      id: Number(row.id),
      category: Number(row.category),
      removed: row.removed === 1,
      last: row.last === null ? -1 : Number(row.last),
    }
  }

  #newStream(name: string): Stream {
    const categoryName = categoryOf(name)
    const known = this.#findCategory.get(categoryName)?.id
    const category = Number(known ?? this.#addCategory.run(categoryName).lastInsertRowid)
    return { id: Number(this.#addStream.run(name, category).lastInsertRowid), category, removed: false, last: -1 }
  }
}
