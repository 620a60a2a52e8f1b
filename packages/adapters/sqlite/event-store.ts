import { once } from 'node:events'
import { basename } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type EncodedRecord, EventCodec } from '#packages/events/format/codec.ts'
import { decodedBytes, isLarge } from '#packages/events/format/encoded-bytes.ts'
import { DamagedEventsError } from '#packages/ports/damaged-events.ts'
import {
  type Appended,
  assertTogether,
  type EventStore,
  type ExpectedRevision,
  type FeedBatch,
  type FollowOptions,
  type NewEvent,
  noSuchRevision,
  type ReadOptions,
  RevisionConflictError,
  type StoredEvent,
  type StreamAppend,
  StreamRemovedError,
} from '#packages/ports/event-store.ts'
import { UnwritableError } from '#packages/ports/unreachable.ts'
import { feedBatch, type PageLimits } from '../feed-batch.ts'
import { Notifier } from '../notifier.ts'
import type { EncodedAppend, Stored, WriteOutcome } from './append-writer.ts'
import { readDamageNote, writeDamageNote } from './damage-note.ts'
import { openError } from './damaged-file.ts'
import { type EventOrigin, EventReader, type StreamShare } from './event-reader.ts'
import { EventTail } from './event-tail.ts'
import { FileGuard } from './file-guard.ts'
import { type Appender, noAppends, Writer } from './writer.ts'

export type SqliteEventStoreOptions = {
  /** The file; its folder must exist. */
  path: string
  /** How long an append waits for another process's transaction or VACUUM, milliseconds. Default 60,000. */
  busyTimeoutMs?: number
  /** How many appends may wait for the disk; further ones are refused. Default 10,000. */
  maxWaitingAppends?: number
  /** Limits of one read of a follower. Default 1,000 events and about 1 MiB, decoded. */
  page?: PageLimits
  /** Limits of the newest events in memory. Default 16,384 events and 8 MiB, decoded. */
  tail?: PageLimits
  /**
   * Called with each damage that is found, and when the file is gone. Followers then stop moving until they are ended,
   * so that a service can go on with undamaged events. Without this function they throw.
   */
  onDamage?: (error: DamagedEventsError) => void
  /** Nothing is appended, created or noted: the file must exist. */
  readOnly?: boolean
  /** Followers see only these streams. With a share, gaps between positions are not checked. */
  share?: StreamShare
  /** The events of this release, and the versions that it writes. Default: all, in the newest. */
  codec?: EventCodec
}

/** How often to check that the file is still the one that was opened, milliseconds. */
const guardMs = 1000

/** How often a waiting follower looks for events of other processes, milliseconds. */
const pollMs = 200

/** How long a read waits for a process that recovers or closes the file (never for a writer), milliseconds. */
const readTimeoutMs = 1000
const backwardsPageEvents = 100

/**
 * Opens the event file, and creates it if it is missing.
 * @throws Error names the file. A damaged file is never changed: there is no other copy of its events
 */
export async function openSqliteEventStore(options: SqliteEventStoreOptions): Promise<SqliteEventStore> {
  const { path, busyTimeoutMs = 60_000, maxWaitingAppends: maxWaiting = 10_000, readOnly = false } = options
  try {
    await using opening = new AsyncDisposableStack()
    const writer = readOnly ? noAppends : opening.use(await Writer.start({ path, busyTimeoutMs, maxWaiting }))
    const reader = opening.use(new EventReader(path, readTimeoutMs, options.share))
    const store = new SqliteEventStore({ writer, reader, guard: new FileGuard(path) }, options)
    opening.move()
    return store
  } catch (error) {
    throw openError(path, error)
  }
}

/** The EventStore in one file. Several processes may have it open and append to it. */
export class SqliteEventStore implements EventStore {
  /** The id and end of the file when it was opened, for `openSqliteViews`. */
  readonly origin: EventOrigin
  readonly #writer: Appender
  readonly #reader: EventReader
  readonly #codec: EventCodec
  readonly #page: PageLimits
  readonly #tail: EventTail
  readonly #appended = new Notifier()
  readonly #closed = new AbortController()
  readonly #guard: FileGuard
  readonly #guarding: NodeJS.Timeout
  readonly #options: SqliteEventStoreOptions
  readonly #name: string
  #turn: Promise<void> = Promise.resolve()
  #problem: string | undefined
  #isGone = false
  #poll: NodeJS.Timeout | undefined

  constructor(
    { writer, reader, guard }: { writer: Appender; reader: EventReader; guard: FileGuard },
    options: SqliteEventStoreOptions,
  ) {
    this.#codec = options.codec ?? new EventCodec()
    this.#writer = writer
    this.#reader = reader
    this.#guard = guard
    this.#options = options
    this.#name = basename(options.path)
    this.#problem = readDamageNote(options.path)
    this.#guarding = setInterval(() => this.#lookAtFile(), guardMs).unref()
    this.origin = reader.origin()
    this.#page = options.page ?? { events: 1000, bytes: 1_048_576 }
    const limits = options.tail ?? { events: 16_384, bytes: 8 * 1_048_576 }
    this.#tail = new EventTail(limits, reader.end())
  }

  /** Transactions written so far; appends that arrive together share one. */
  get transactions(): number {
    return this.#writer.transactions
  }

  async id(): Promise<string> {
    return this.origin.id
  }

  integrityProblem(): string | undefined {
    return this.#problem
  }

  /** Records damage from any source. From now on the events are not trusted, even after a restart. */
  noteDamage(error: DamagedEventsError): void {
    if (this.#problem === undefined) {
      const { position } = error.place
      const where = position === undefined ? '' : `, position ${position}`
      this.#problem = `the events are damaged (${this.#name}${where}: ${error.problem})`
      if (!this.#options.readOnly) writeDamageNote(this.#options.path, this.#problem)
    }
    this.#options.onDamage?.(error)
  }

  #lookAtFile(): void {
    const problem = this.#guard.problem()
    if (problem !== undefined) this.#leave(problem)
    // Another process that verifies the file leaves a note.
    else this.#problem ??= readDamageNote(this.#options.path)
  }

  #goneError(): DamagedEventsError {
    return new DamagedEventsError(this.#name, 'it is no longer the file that was opened')
  }

  /** Runs a read, and records the damage that it finds. */
  #reading<T>(read: () => T): T {
    try {
      return read()
    } catch (error) {
      if (error instanceof DamagedEventsError) this.noteDamage(error)
      throw error
    }
  }

  async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended> {
    const [appended] = await this.#append([{ stream, expected, events }])
    return appended as Appended
  }

  async appendTogether(appends: readonly StreamAppend[]): Promise<readonly Appended[]> {
    assertTogether(appends)
    return this.#append(appends)
  }

  async #append(appends: readonly StreamAppend[]): Promise<Appended[]> {
    const encoded = appends.map((append) => ({ ...append, events: this.#codec.encode(append.stream, append.events) }))
    if (this.#isGone) throw this.#goneError()
    const outcome = await this.#writer.write({ kind: 'append', appends: encoded })
    if (outcome.kind !== 'appended') throw this.#refusal(outcome)
    return outcome.stored.map(({ revision, position, recordedAt }, index) => {
      if (recordedAt !== undefined) this.#hold(encoded[index] as EncodedAppend, { revision, position, recordedAt })
      return { revision, position }
    })
  }

  #refusal(outcome: WriteOutcome): Error {
    if (outcome.kind === 'conflict') return new RevisionConflictError(outcome.stream, outcome.expected, outcome.actual)
    if (outcome.kind !== 'stream-removed') return this.#writeError(outcome)
    this.#tail.forget(outcome.stream)
    return new StreamRemovedError(outcome.stream)
  }

  /** The error of a request that was not written, or possibly not. */
  #writeError(outcome: WriteOutcome): Error {
    if (outcome.kind === 'gone') this.#leave(outcome.problem)
    else this.#lookAtFile()
    if (this.#isGone) return this.#goneError()
    if (outcome.kind === 'unwritable') return new UnwritableError('the event file', new Error(outcome.reason))
    const reason = outcome.kind === 'failed' ? outcome.reason : `its writer answered ${outcome.kind}`
    return new Error(`the event file could not be written: ${reason}`)
  }

  /**
   * Adds the appended events to the tail. Answers arrive in the order of positions, and all answers of a transaction
   * arrive before any follower runs.
   */
  #hold({ stream, events }: EncodedAppend, last: Required<Stored>): void {
    const { recordedAt } = last
    events.forEach((event, index) => {
      const before = events.length - 1 - index
      const [revision, position] = [last.revision - before, last.position - before]
      const record = { ...event, stream, revision, position, recordedAt }
      // Another process has written in between: hold the events after that from now on.
      if (position > this.#tail.end + 1) this.#tail.restart(position - 1)
      this.#tail.add(this.#codec.decodeWritten(record), decodedBytes(event))
    })
    this.#appended.notify()
  }

  async read(stream: string, { from = 0, to }: ReadOptions = {}): Promise<StoredEvent[]> {
    const held = to === undefined ? undefined : this.#tail.ofStream(stream, from, to)
    if (held !== undefined) return held
    const records = this.#reading(() => this.#reader.forwards(stream, from, to ?? Number.MAX_SAFE_INTEGER))
    return this.#decodeInTurns(records)
  }

  /**
   * Decoding a large event takes some ten milliseconds. Reads of a stream decode each event in its own turn of the
   * event loop. A page of the feed takes one turn, and exceeds its limit of bytes by one event at most.
   */
  async #decodeInTurns(records: readonly EncodedRecord[]): Promise<StoredEvent[]> {
    const events: StoredEvent[] = []
    for (const record of records) {
      if (isLarge(record)) await this.#nextTurn()
      events.push(this.#codec.decodeWritten(record))
    }
    return events
  }

  /** As {@link EventReader.positionAt}. */
  positionAt(instant: number): number {
    return this.#reading(() => this.#reader.positionAt(instant))
  }

  async *readBackwards(stream: string): AsyncIterable<StoredEvent> {
    let before = Number.MAX_SAFE_INTEGER
    for (;;) {
      const page = this.#reading(() => this.#reader.backwards(stream, before, backwardsPageEvents))
      for (const record of page) {
        if (isLarge(record)) await this.#nextTurn()
        yield this.#codec.decodeWritten(record)
      }
      const last = page.at(-1)
      if (last === undefined || last.revision === 0) return
      before = last.revision
    }
  }

  async *follow(options: FollowOptions): AsyncIterable<FeedBatch> {
    const at = { position: options.after }
    const signal = AbortSignal.any([options.signal, this.#closed.signal])
    try {
      yield* this.#follow({ ...options, signal }, at)
    } catch (error) {
      if (!(error instanceof DamagedEventsError)) throw error
      if (!this.#isGone) this.noteDamage(error)
      if (this.#options.onDamage === undefined) throw error
      // Shows followers that this is not the end.
      yield { events: [], position: at.position, caughtUp: false }
      if (!signal.aborted) await once(signal, 'abort')
    }
  }

  /** @param at the position of the last batch, which this moves */
  async *#follow({ prefixes, signal }: FollowOptions, at: { position: number }): AsyncIterable<FeedBatch> {
    let live = false
    while (!signal.aborted) {
      if (live && this.#tail.end <= at.position) {
        // For an append here, or until the poll finds one of another process.
        this.#poll ??= setInterval(() => this.#lookForOthers(), pollMs).unref()
        await this.#appended.wait(signal)
        continue
      }
      // A follower that has not reached the end yet must read its place from the file.
      const held: FeedBatch | undefined = live ? this.#tail.after(at.position, prefixes, this.#page) : undefined
      if (held === undefined) await this.#nextTurn()
      if (signal.aborted) return
      const batches: Iterable<FeedBatch> = held === undefined ? this.#readPage(at.position, prefixes) : [held]
      let caughtUp = false
      for (const batch of batches) {
        yield batch
        at.position = batch.position
        caughtUp = batch.caughtUp
      }
      live = caughtUp || held !== undefined
      if (!caughtUp && held !== undefined) await setImmediate()
    }
  }

  /**
   * A long history takes many pages. Timers and sockets run between any two pages, even if several followers wake
   * together.
   */
  #nextTurn(): Promise<void> {
    this.#turn = this.#turn.then(() => setImmediate())
    return this.#turn
  }

  #readPage(position: number, prefixes: readonly string[]): Iterable<FeedBatch> {
    // An event with a matching checksum was validated when it was written.
    return feedBatch((record) => this.#codec.decodeWritten(record), this.#reader.page(position, prefixes, this.#page))
  }

  async remove(stream: string): Promise<void> {
    const outcome = await this.#writer.write({ kind: 'remove', stream })
    if (outcome.kind !== 'stream-removed') throw this.#writeError(outcome)
    this.#tail.forget(stream)
  }

  async isRemoved(stream: string): Promise<boolean> {
    return this.#reading(() => this.#reader.isRemoved(stream))
  }

  async truncate(stream: string, before: number): Promise<void> {
    if (!Number.isSafeInteger(before)) throw noSuchRevision(stream, before)
    const outcome = await this.#writer.write({ kind: 'truncate', stream, before })
    if (outcome.kind === 'no-such-revision') throw noSuchRevision(stream, before)
    if (outcome.kind !== 'truncated') throw this.#writeError(outcome)
    this.#tail.forget(stream, before)
  }

  /** Skipped while our own append is under way: its answer shows whether another process has written before it. */
  #lookForOthers(): void {
    if (!this.#writer.idle) return
    const end = this.#endNow()
    if (end === undefined || end === this.#tail.end) return
    if (end < this.#tail.end) {
      this.#leave(`ends at position ${end}, and had come to ${this.#tail.end}`)
      return
    }
    this.#tail.restart(end)
    this.#appended.notify()
  }

  /** The present end of the file; undefined if it cannot be read, which is recorded as damage. */
  #endNow(): number | undefined {
    try {
      return this.#reader.end()
    } catch (error) {
      if (!(error instanceof DamagedEventsError)) throw error
      clearInterval(this.#poll)
      this.noteDamage(error)
      return undefined
    }
  }

  /** Refuses appends from now on: written events are no longer in this file. A restart checks the file again. */
  #leave(problem: string): void {
    clearInterval(this.#guarding)
    clearInterval(this.#poll)
    if (this.#isGone) return
    this.#isGone = true
    this.#problem ??= `the event file ${problem}`
    this.#options.onDamage?.(new DamagedEventsError(this.#name, `the file ${problem}`))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed.signal.aborted) return
    this.#closed.abort()
    clearInterval(this.#poll)
    clearInterval(this.#guarding)
    this.#reader[Symbol.dispose]()
    await this.#writer[Symbol.asyncDispose]()
  }
}
