import type { DatabaseSync } from 'node:sqlite'
import type { EncodedEvent } from '#packages/events/format/codec.ts'
import type { ExpectedRevision } from '#packages/ports/event-store.ts'
import { type AppendDecision, decideAppend, repeatedInPart } from '../append-decision.ts'
import { emptyLog } from './empty-log.ts'
import { saysUnwritable } from './error-code.ts'
import { checksumOf, noPredecessor } from './event-checksum.ts'
import { arrays } from './event-rows.ts'
import { categoryOf } from './event-schema.ts'
import { Removals } from './removals.ts'
import { noteRemoval } from './removals-since-vacuum.ts'

export type EncodedAppend = { stream: string; expected: ExpectedRevision; events: readonly EncodedEvent[] }

export type WriteRequest =
  /** Written as a whole or not at all; each append has its own stream. */
  | { kind: 'append'; appends: readonly EncodedAppend[] }
  | { kind: 'remove'; stream: string }
  | { kind: 'truncate'; stream: string; before: number }

/**
 * A stored append: revision and position of its last event; the positions of one append are consecutive. `recordedAt`:
 * milliseconds since 1970, UTC; missing for a repeat of an earlier call.
 */
export type Stored = { revision: number; position: number; recordedAt?: number }

type Refused =
  | { kind: 'conflict'; stream: string; expected: ExpectedRevision; actual: ExpectedRevision }
  | { kind: 'stream-removed'; stream: string }

/**
 * The outcome of a request. Only after `failed`, `unwritable` and `gone` it is unknown whether the request was written.
 */
export type WriteOutcome =
  | { kind: 'appended'; stored: readonly Stored[] }
  /** The append to `stream` is refused, so none of the appends was written. */
  | Refused
  | { kind: 'truncated' }
  | { kind: 'no-such-revision' }
  | { kind: 'failed'; reason: string }
  /** The disk is full, or fails. */
  | { kind: 'unwritable'; reason: string }
  /** The file is no longer the one that was opened. */
  | { kind: 'gone'; problem: string }

/** `id` is undefined for a stream that is not stored yet. `head`: the checksum of its last event. */
type Stream = { id: number | undefined; category: number; removed: boolean; first: number; last: number; head: number }

/** An append that is not refused. */
type Decided = {
  name: string
  /** Undefined if the stream has no event yet. */
  stream: Stream | undefined
  events: readonly EncodedEvent[]
  decision: Exclude<AppendDecision, { kind: 'conflict' }>
}

const isRefused = (decided: Decided | Refused): decided is Refused => 'kind' in decided

/** The last position in the file, and the checksum of its event. */
export type FileEnd = { position: number; checksum: number }

const statementsOf = (database: DatabaseSync) => ({
  findStream: arrays(database, 'SELECT id, category, removed, first, last, head FROM streams WHERE name = ?'),
  findIds: database.prepare('SELECT id FROM events WHERE stream = ? AND revision BETWEEN ? AND ? ORDER BY revision'),
  findPosition: database.prepare('SELECT position FROM events WHERE stream = ? AND revision = ?'),
  findEnd: database.prepare('SELECT position, checksum FROM ends'),
  moveEnd: database.prepare('UPDATE ends SET position = ?, checksum = ?'),
  findCategory: database.prepare('SELECT id FROM categories WHERE name = ?'),
  addCategory: database.prepare('INSERT INTO categories (name) VALUES (?)'),
  addStream: database.prepare('INSERT INTO streams (name, category, last, head) VALUES (?, ?, ?, ?)'),
  moveStream: database.prepare('UPDATE streams SET last = ?, head = ? WHERE id = ?'),
  addEvent: database.prepare(
    `INSERT INTO events
       (position, stream, revision, category, id, type, version, recorded_at, metadata, data, previous, checksum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ),
  findPositions: database.prepare('SELECT position FROM events WHERE stream = ? AND revision < ? ORDER BY position'),
  deleteEvents: database.prepare('DELETE FROM events WHERE stream = ? AND revision < ?'),
  moveFirst: database.prepare('UPDATE streams SET first = ? WHERE id = ?'),
  markRemoved: database.prepare('UPDATE streams SET removed = 1, first = 0, last = -1, head = 0 WHERE id = ?'),
})

/**
 * Writes groups of requests to the event file, each group in one transaction. Each request succeeds or fails on its
 * own: conflicts are detected inside the transaction, while no other process can write. Only a disk error fails them
 * all.
 */
export class AppendWriter {
  readonly #database: DatabaseSync
  readonly #onErased: (left: { isInLog: boolean }) => void
  readonly #removals: Removals
  readonly #sql: ReturnType<typeof statementsOf>
  /** The end of the file. Within a transaction it includes that transaction's events. */
  #end: FileEnd = { position: 0, checksum: noPredecessor }
  /** Whether the transaction has deleted events. */
  #hasErased = false

  /** @param onErased called after a transaction that has deleted events. `isInLog`: they are still in the log */
  constructor(database: DatabaseSync, onErased: (left: { isInLog: boolean }) => void = () => undefined) {
    this.#database = database
    this.#onErased = onErased
    this.#removals = new Removals(database)
    this.#sql = statementsOf(database)
  }

  /** The end of the file after the last committed transaction. */
  get end(): FileEnd {
    return this.#end
  }

  /** Writes one transaction. Once it is durable, returns an outcome for each request, in order. Never throws. */
  write(requests: readonly WriteRequest[]): WriteOutcome[] {
    try {
      this.#database.exec('BEGIN IMMEDIATE')
      const recordedAt = Date.now()
      const before = this.readEnd()
      this.#end = before
      this.#hasErased = false
      const outcomes = requests.map((request) => this.#outcome(request, recordedAt))
      if (this.#end !== before) this.#sql.moveEnd.run(this.#end.position, this.#end.checksum)
      if (this.#hasErased) noteRemoval(this.#database)
      this.#database.exec('COMMIT')
      // Deleted events have to leave the disk now, rather than at the next checkpoint of the log.
      if (this.#hasErased) this.#onErased({ isInLog: !emptyLog(this.#database) })
      return outcomes
    } catch (error) {
      this.#rollBack()
      const reason = error instanceof Error ? error.message : String(error)
      const kind = saysUnwritable(error) ? 'unwritable' : 'failed'
      return requests.map(() => ({ kind, reason }))
    }
  }

  #outcome(request: WriteRequest, recordedAt: number): WriteOutcome {
    if (request.kind === 'append') return this.#append(request.appends, recordedAt)
    return request.kind === 'remove' ? this.#remove(request.stream) : this.#truncate(request)
  }

  /** The end of the file, including other processes' events. */
  readEnd(): FileEnd {
    const row = this.#sql.findEnd.get()
    if (row === undefined) throw new Error('the event file does not say where it ends: it is damaged')
    return { position: Number(row.position), checksum: Number(row.checksum) }
  }

  #rollBack(): void {
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
    } catch {
      // Report the first failure. The next BEGIN shows whether the file works again.
    }
  }

  #append(appends: readonly EncodedAppend[], recordedAt: number): WriteOutcome {
    const decided: Decided[] = []
    for (const append of appends) {
      const one = this.#decide(append)
      if (isRefused(one)) return one
      decided.push(one)
    }
    const partial = repeatedInPart(decided.map(({ decision }) => decision))
    if (partial !== undefined) {
      const { stream, expected } = appends[partial.index] as EncodedAppend
      return { kind: 'conflict', stream, expected, actual: partial.actual }
    }
    return { kind: 'appended', stored: decided.map((one) => this.#carryOut(one, recordedAt)) }
  }

  #decide({ stream: name, expected, events }: EncodedAppend): Decided | Refused {
    const stream = this.#stream(name)
    if (stream?.removed) return { kind: 'stream-removed', stream: name }
    const end = {
      last: stream?.last ?? -1,
      idsFrom: (from: number, count: number) =>
        stream?.id === undefined
          ? []
          : this.#sql.findIds.all(stream.id, from, from + count - 1).map((row) => String(row.id)),
    }
    const ids = events.map((event) => event.id)
    const decision = decideAppend(end, expected, ids)
    if (decision.kind === 'conflict') return { ...decision, stream: name, expected }
    return { name, stream, events, decision }
  }

  #carryOut({ name, stream, events, decision }: Decided, recordedAt: number): Stored {
    if (decision.kind === 'write')
      return this.#insert({ ...(stream ?? this.#newStream(name)), name }, decision.firstRevision, events, recordedAt)
    const row = stream?.id === undefined ? undefined : this.#sql.findPosition.get(stream.id, decision.revision)
    return { revision: decision.revision, position: Number(row?.position) }
  }

  #insert(
    stream: Stream & { name: string },
    firstRevision: number,
    events: readonly EncodedEvent[],
    recordedAt: number,
  ): Stored {
    const before = this.#end.position
    let { head } = stream
    const checksums = events.map(({ id, type, version, metadata, data }, index) => {
      const place = { stream: stream.name, revision: firstRevision + index, position: before + 1 + index, recordedAt }
      head = checksumOf({ ...place, id, type, version, metadata, data }, head)
      return head
    })
    const last = firstRevision + events.length - 1
    const id = this.#moveOn(stream, last, head)
    let previous = stream.head
    for (const [index, checksum] of checksums.entries()) {
      const event = events[index] as EncodedEvent
      this.#sql.addEvent.run(
        before + 1 + index,
        id,
        firstRevision + index,
        stream.category,
        event.id,
        event.type,
        event.version,
        recordedAt,
        event.metadata,
        event.data,
        previous,
        checksum,
      )
      previous = checksum
    }
    this.#end = { position: this.#end.position + events.length, checksum: head }
    return { revision: last, position: this.#end.position, recordedAt }
  }

  /** Stores the new end of a stream. @returns its id */
  #moveOn({ id, name, category }: Stream & { name: string }, last: number, head: number): number {
    if (id === undefined) return Number(this.#sql.addStream.run(name, category, last, head).lastInsertRowid)
    this.#sql.moveStream.run(last, head, id)
    return id
  }

  #remove(name: string): WriteOutcome {
    const stream = this.#stream(name) ?? this.#newStream(name)
    if (stream.removed) return { kind: 'stream-removed', stream: name }
    const id = stream.id ?? this.#moveOn({ ...stream, name }, -1, noPredecessor)
    this.#erase(id, stream.last + 1)
    this.#sql.markRemoved.run(id)
    return { kind: 'stream-removed', stream: name }
  }

  #truncate({ stream: name, before }: WriteRequest & { kind: 'truncate' }): WriteOutcome {
    const stream = this.#stream(name)
    if (stream?.removed) return { kind: 'truncated' }
    if (stream?.id === undefined || before < 0 || before > stream.last) return { kind: 'no-such-revision' }
    if (before > stream.first) {
      this.#erase(stream.id, before)
      this.#sql.moveFirst.run(before, stream.id)
    }
    return { kind: 'truncated' }
  }

  /** Deletes the events of a stream before a revision. */
  #erase(stream: number, before: number): void {
    const positions = this.#sql.findPositions.all(stream, before).map((row) => Number(row.position))
    if (positions.length === 0) return
    this.#removals.add(positions)
    this.#sql.deleteEvents.run(stream, before)
    this.#hasErased = true
  }

  #stream(name: string): Stream | undefined {
    const row = this.#sql.findStream.get(name) as number[] | undefined
    if (row === undefined) return undefined
    const [id, category = 0, removed, first = 0, last = 0, head = 0] = row
    return { id, category, removed: removed === 1, first, last, head }
  }

  #newStream(name: string): Stream {
    const categoryName = categoryOf(name)
    const known = this.#sql.findCategory.get(categoryName)?.id
    const category = Number(known ?? this.#sql.addCategory.run(categoryName).lastInsertRowid)
    return { id: undefined, category, removed: false, first: 0, last: -1, head: noPredecessor }
  }
}
