import { once } from 'node:events'
import { basename } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type EncodedEvent, type EncodedRecord, EventCodec } from '#packages/events/codec.ts'
import { decodedBytes } from '#packages/events/encoded-bytes.ts'
import { DamagedEventsError } from '#packages/ports/damaged-events.ts'
import {
  type EventStore,
  type ExpectedRevision,
  type FeedBatch,
  type FollowOptions,
  type NewEvent,
  type ReadOptions,
  RevisionConflictError,
  type StoredEvent,
  StreamRemovedError,
} from '#packages/ports/event-store.ts'
import { EventTail } from '../event-tail.ts'
import { feedBatch, type PageLimits } from '../feed-batch.ts'
import { Notifier } from '../notifier.ts'
import type { WriteOutcome } from './append-writer.ts'
import { BackgroundComparison, type ComparisonLog } from './background-comparison.ts'
import { readDamageNote, writeDamageNote } from './damage-note.ts'
import { saysDamaged } from './damaged-file.ts'
import { type EventOrigin, EventReader } from './event-reader.ts'
import { FileGuard } from './file-guard.ts'
import { Writer } from './writer.ts'

export type SqliteEventStoreOptions = {
  /** The file; its folder must exist. */
  path: string
  codec?: EventCodec
  /** How long an append waits for another process's transaction, milliseconds. Default 5,000. */
  busyTimeoutMs?: number
  /** Appends that may wait for the disk; one more is refused. Default 10,000. */
  maxWaitingAppends?: number
  /** The most a follower reads at once. Default 1,000 events and about 1 MiB, decoded. */
  page?: PageLimits
  /** The most of the newest events that is held in memory. Default 16,384 events and 8 MiB, decoded. */
  tail?: PageLimits
  /**
   * Told of each damage that is met, and of a file that is no longer there. Followers then stand still where they are,
   * until they are ended: for a service that goes on with what is not damaged. Without it they throw.
   */
  onDamage?: (error: DamagedEventsError) => void
  /** Where it is told how the comparison of the whole file goes, which then runs in the background, once an hour. */
  comparisonLog?: ComparisonLog
}

/** How often it is looked whether the file is still the one that was opened, milliseconds. */
const guardMs = 1000

/** How often a waiting follower looks for what other processes wrote. */
const pollMs = 200

/** A read never waits for a writer; only for the moment in which another process recovers or closes the file. */
const readTimeoutMs = 1000
const backwardsPageEvents = 100

/**
 * Opens the event file, making it where it is missing.
 * @throws Error naming the file. A damaged one is never touched: nothing else holds what it holds
 */
export async function openSqliteEventStore(options: SqliteEventStoreOptions): Promise<SqliteEventStore> {
  const { path, busyTimeoutMs = 5000, maxWaitingAppends = 10_000 } = options
  try {
    await using opening = new AsyncDisposableStack()
    const writer = opening.use(await Writer.start({ path, busyTimeoutMs, maxWaiting: maxWaitingAppends }))
    const reader = opening.use(new EventReader(path, readTimeoutMs))
    const store = new SqliteEventStore({ writer, reader, guard: new FileGuard(path) }, options)
    opening.move()
    return store
  } catch (error) {
    throw openError(path, error)
  }
}

function openError(path: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const isDamaged = saysDamaged(cause) || cause instanceof DamagedEventsError
  const advice = isDamaged
    ? '. It holds the events, from which all else is made; it is damaged, and was left as it is: put back a backup of it.'
    : ''
  return new Error(`the event file ${path} could not be opened: ${reason}${advice}`, { cause })
}

/** The EventStore in one file. Several processes may have it open and append to it. */
export class SqliteEventStore implements EventStore {
  /** Which events these were when the file was opened; `openSqliteViews` takes it. */
  readonly origin: EventOrigin
  readonly #writer: Writer
  readonly #reader: EventReader
  readonly #codec: EventCodec
  readonly #page: PageLimits
  readonly #tail: EventTail<StoredEvent>
  readonly #appended = new Notifier()
  readonly #closed = new AbortController()
  readonly #guard: FileGuard
  readonly #guarding: NodeJS.Timeout
  readonly #comparison: BackgroundComparison | undefined
  readonly #onDamage: ((error: DamagedEventsError) => void) | undefined
  readonly #path: string
  readonly #name: string
  readonly #migratedEnd: number
  #turn: Promise<void> = Promise.resolve()
  #problem: string | undefined
  #isGone = false
  #poll: NodeJS.Timeout | undefined

  constructor(
    { writer, reader, guard }: { writer: Writer; reader: EventReader; guard: FileGuard },
    options: SqliteEventStoreOptions,
  ) {
    this.#writer = writer
    this.#reader = reader
    this.#guard = guard
    this.#codec = options.codec ?? new EventCodec()
    this.#path = options.path
    this.#name = basename(options.path)
    this.#problem = readDamageNote(options.path)
    this.#onDamage = options.onDamage
    this.#guarding = setInterval(() => this.#lookAtFile(), guardMs).unref()
    this.origin = reader.origin()
    this.#migratedEnd = reader.migratedEnd()
    const { path, comparisonLog: log } = options
    if (log !== undefined)
      this.#comparison = new BackgroundComparison(path, { log, onDamage: (error) => this.noteDamage(error) })
    this.#page = options.page ?? { events: 1000, bytes: 1_048_576 }
    const limits = options.tail ?? { events: 16_384, bytes: 8 * 1_048_576 }
    this.#tail = new EventTail(limits, reader.end(), (event) => event)
  }

  /** Transactions written so far; appends that come together share one. */
  get transactions(): number {
    return this.#writer.transactions
  }

  integrityProblem(): string | undefined {
    return this.#problem
  }

  /** Takes note of damage, whoever has found it: from now on the events are not believed, also after a restart. */
  noteDamage(error: DamagedEventsError): void {
    if (this.#problem === undefined) {
      const { position } = error.place
      const where = position === undefined ? '' : `, position ${position}`
      this.#problem = `the events are damaged (${this.#name}${where}: ${error.problem})`
      writeDamageNote(this.#path, this.#problem)
    }
    this.#onDamage?.(error)
  }

  #lookAtFile(): void {
    const problem = this.#guard.problem()
    if (problem !== undefined) this.#leave(problem)
    // Whoever verifies the file, in another process, leaves a note.
    else this.#problem ??= readDamageNote(this.#path)
  }

  #assertThere(): void {
    if (this.#isGone) throw new DamagedEventsError(this.#name, 'it is no longer the file that was opened')
  }

  /** Runs a read. What it meets of damage is noted. */
  #reading<T>(read: () => T): T {
    try {
      return read()
    } catch (error) {
      if (error instanceof DamagedEventsError) this.noteDamage(error)
      throw error
    }
  }

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<{ revision: number; position: number }> {
    const encoded = this.#codec.encode(stream, events)
    this.#assertThere()
    const outcome = await this.#writer.write({ kind: 'append', stream, expected, events: encoded })
    if (outcome.kind === 'conflict') throw new RevisionConflictError(stream, expected, outcome.actual)
    if (outcome.kind === 'stream-removed') {
      this.#tail.forget(stream)
      throw new StreamRemovedError(stream)
    }
    if (outcome.kind === 'failed') {
      this.#lookAtFile()
      this.#assertThere()
      throw writeError(outcome)
    }
    if (outcome.kind === 'appended') this.#hold(stream, encoded, outcome)
    return { revision: outcome.revision, position: outcome.position }
  }

  /** Answers come in the order of positions, those of one transaction before any follower runs. */
  #hold(stream: string, encoded: readonly EncodedEvent[], outcome: WriteOutcome & { kind: 'appended' }): void {
    const { recordedAt } = outcome
    encoded.forEach((event, index) => {
      const before = encoded.length - 1 - index
      const [revision, position] = [outcome.revision - before, outcome.position - before]
      const record = { ...event, stream, revision, position, recordedAt }
      // another process has written in between: what lies behind that is held from now on
      if (position > this.#tail.end + 1) this.#tail.restart(position - 1)
      this.#tail.add(this.#codec.decodeWritten(record), decodedBytes(event))
    })
    this.#appended.notify()
  }

  async read(stream: string, { from = 0, to }: ReadOptions = {}): Promise<StoredEvent[]> {
    const held = to === undefined ? undefined : this.#tail.ofStream(stream, from, to)
    if (held !== undefined) return held
    const records = this.#reading(() => this.#reader.forwards(stream, from, to ?? Number.MAX_SAFE_INTEGER))
    return records.map((record) => this.#decode(record))
  }

  async *readBackwards(stream: string): AsyncIterable<StoredEvent> {
    let before = Number.MAX_SAFE_INTEGER
    for (;;) {
      const page = this.#reading(() => this.#reader.backwards(stream, before, backwardsPageEvents))
      for (const record of page) yield this.#decode(record)
      const last = page.at(-1)
      if (last === undefined || last.revision === 0) return
      before = last.revision
    }
  }

  async *follow(options: FollowOptions): AsyncIterable<FeedBatch> {
    const at = { position: options.after }
    try {
      yield* this.#follow(options, at)
    } catch (error) {
      if (!(error instanceof DamagedEventsError)) throw error
      if (!this.#isGone) this.noteDamage(error)
      if (this.#onDamage === undefined) throw error
      // Whoever follows knows that this is not the end.
      yield { events: [], position: at.position, caughtUp: false }
      await ended(AbortSignal.any([options.signal, this.#closed.signal]))
    }
  }

  async *#follow(options: FollowOptions, at: { position: number }): AsyncIterable<FeedBatch> {
    const signal = AbortSignal.any([options.signal, this.#closed.signal])
    let position = options.after
    let told = false
    while (!signal.aborted) {
      if (told && this.#tail.end <= position) {
        await this.#wake(signal)
        continue
      }
      // Who has not reached the end once is to hear from the file where it is.
      const held: FeedBatch | undefined = told ? this.#tail.after(position, options.prefixes, this.#page) : undefined
      if (held === undefined) await this.#nextTurn()
      if (signal.aborted) return
      const batches: Iterable<FeedBatch> = held === undefined ? this.#readPage(position, options.prefixes) : [held]
      let caughtUp = false
      for (const batch of batches) {
        yield batch
        position = batch.position
        at.position = position
        caughtUp = batch.caughtUp
      }
      told = caughtUp || held !== undefined
      if (!caughtUp && held !== undefined) await setImmediate()
    }
  }

  /**
   * A long history is read in many pages: timers and sockets have their turn between any two of them, also where several
   * followers read, who are woken together.
   */
  #nextTurn(): Promise<void> {
    this.#turn = this.#turn.then(() => setImmediate())
    return this.#turn
  }

  /** What the reader has given is what was written, and that was validated; before there were checksums, nobody knows. */
  #decode(record: EncodedRecord): StoredEvent {
    return record.position > this.#migratedEnd ? this.#codec.decodeWritten(record) : this.#codec.decode(record)
  }

  #readPage(position: number, prefixes: readonly string[]): Iterable<FeedBatch> {
    return feedBatch((record) => this.#decode(record), this.#reader.page(position, prefixes, this.#page))
  }

  async remove(stream: string): Promise<void> {
    const outcome = await this.#writer.write({ kind: 'remove', stream })
    if (outcome.kind === 'failed') throw writeError(outcome)
    this.#tail.forget(stream)
  }

  /** Resolves when there may be something new: notified by an append here, or by the poll for another process's. */
  async #wake(signal: AbortSignal): Promise<void> {
    this.#poll ??= setInterval(() => this.#lookForOthers(), pollMs).unref()
    await this.#appended.wait(signal)
  }

  /** While an append of ours is under way, its answer will tell whether another process has written before it. */
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

  /** Undefined where the file no longer says it: that is noted, and not looked at again. */
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

  /** From now on nothing is appended: what was written to this file is not in it any more. A restart looks at it anew. */
  #leave(problem: string): void {
    clearInterval(this.#guarding)
    clearInterval(this.#poll)
    if (this.#isGone) return
    this.#isGone = true
    this.#problem ??= `the event file ${problem}`
    this.#onDamage?.(new DamagedEventsError(this.#name, `the file ${problem}`))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed.signal.aborted) return
    this.#closed.abort()
    clearInterval(this.#poll)
    clearInterval(this.#guarding)
    await this.#comparison?.[Symbol.asyncDispose]()
    this.#reader[Symbol.dispose]()
    await this.#writer[Symbol.asyncDispose]()
  }
}

async function ended(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

function writeError(outcome: WriteOutcome & { kind: 'failed' }): Error {
  return new Error(`the event file could not be written: ${outcome.reason}`)
}
