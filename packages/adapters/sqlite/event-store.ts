import { setImmediate } from 'node:timers/promises'
import {
  type EventStore,
  type ExpectedRevision,
  type FeedBatch,
  type FollowOptions,
  type NewEvent,
  RevisionConflictError,
  type StoredEvent,
  StreamRemovedError,
} from '#packages/ports/event-store.ts'
import { Bell } from '../bell.ts'
import { EventCodec } from '../codec.ts'
import { feedBatch } from '../feed-batch.ts'
import type { WriteOutcome } from './append-writer.ts'
import type { CommitPoll } from './commit-poll.ts'
import { saysDamaged } from './damaged-file.ts'
import { type EventOrigin, EventReader, type PageLimits } from './event-reader.ts'
import { Writer } from './writer.ts'

export type SqliteEventStoreOptions = {
  /** The file; its folder must exist. */
  path: string
  codec?: EventCodec
  /** How long an append waits for another process's transaction, milliseconds. Default 5,000. */
  busyTimeoutMs?: number
  /** How often a waiting follower looks for what other processes wrote, milliseconds. Default 200. */
  pollMs?: number
  /** Appends that may wait for the disk; one more is refused. Default 10,000. */
  maxWaitingAppends?: number
  /** The most a follower reads at once. Default 1,000 events and about 4 MiB. */
  page?: PageLimits
}

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
    const store = new SqliteEventStore(writer, reader, options)
    opening.move()
    return store
  } catch (error) {
    throw openError(path, error)
  }
}

function openError(path: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const advice = saysDamaged(cause)
    ? ' It holds the events, from which all else is made; it is damaged, and was left as it is: put back a backup of it.'
    : ''
  return new Error(`the event file ${path} could not be opened: ${reason}.${advice}`, { cause })
}

/** The EventStore in one file. Several processes may have it open and append to it. */
export class SqliteEventStore implements EventStore {
  /** Which events these were when the file was opened; `openSqliteViews` takes it. */
  readonly origin: EventOrigin
  readonly #writer: Writer
  readonly #reader: EventReader
  readonly #codec: EventCodec
  readonly #page: PageLimits
  readonly #appended = new Bell()
  readonly #closed = new AbortController()
  readonly #poll: CommitPoll

  constructor(writer: Writer, reader: EventReader, options: SqliteEventStoreOptions) {
    this.#writer = writer
    this.#reader = reader
    this.origin = reader.origin()
    this.#codec = options.codec ?? new EventCodec()
    this.#page = options.page ?? { events: 1000, bytes: 4 * 1_048_576 }
    this.#poll = reader.commitPoll(options.pollMs ?? 200, () => this.#appended.ring())
  }

  /** Transactions written so far; appends that come together share one. */
  get transactions(): number {
    return this.#writer.transactions
  }

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<{ revision: number; position: number }> {
    const encoded = this.#codec.encode(stream, events)
    const outcome = await this.#writer.write({ kind: 'append', stream, expected, events: encoded })
    if (outcome.kind === 'conflict') throw new RevisionConflictError(stream, expected, outcome.actual)
    if (outcome.kind === 'stream-removed') throw new StreamRemovedError(stream)
    assertWritten(outcome)
    this.#appended.ring()
    return { revision: outcome.revision, position: outcome.position }
  }

  async read(stream: string, options: { from?: number } = {}): Promise<StoredEvent[]> {
    return this.#reader.forwards(stream, options.from ?? 0).map((record) => this.#codec.decode(record))
  }

  async *readBackwards(stream: string): AsyncIterable<StoredEvent> {
    let before = Number.MAX_SAFE_INTEGER
    for (;;) {
      const page = this.#reader.backwards(stream, before, backwardsPageEvents)
      for (const record of page) yield this.#codec.decode(record)
      const last = page.at(-1)
      if (last === undefined || last.revision === 0) return
      before = last.revision
    }
  }

  async *follow(options: FollowOptions): AsyncIterable<FeedBatch> {
    const signal = AbortSignal.any([options.signal, this.#closed.signal])
    let position = options.after
    let told = false
    while (!signal.aborted) {
      const page = this.#reader.page(position, options.prefixes, this.#page)
      if (told && page.position === position) {
        await this.#wake(signal)
        continue
      }
      for (const batch of feedBatch(this.#codec, page)) yield batch
      position = page.position
      told = page.caughtUp
      // A long history is read in many pages; timers and sockets have their turn between them.
      if (!page.caughtUp) await setImmediate()
    }
  }

  async remove(stream: string): Promise<void> {
    const outcome = await this.#writer.write({ kind: 'remove', stream })
    if (outcome.kind === 'failed') throw writeError(outcome)
  }

  /** Resolves when there may be something new: rung by an append here, or by the poll for another connection's. */
  async #wake(signal: AbortSignal): Promise<void> {
    this.#poll.start()
    await this.#appended.wait(signal)
    if (this.#appended.waiting === 0) this.#poll.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed.signal.aborted) return
    this.#closed.abort()
    this.#poll.stop()
    this.#reader[Symbol.dispose]()
    await this.#writer[Symbol.asyncDispose]()
  }
}

function writeError(outcome: WriteOutcome & { kind: 'failed' }): Error {
  return new Error(`the event file could not be written: ${outcome.reason}`)
}

function assertWritten(outcome: WriteOutcome): asserts outcome is WriteOutcome & { kind: 'appended' } {
  if (outcome.kind === 'failed') throw writeError(outcome)
  if (outcome.kind !== 'appended') throw new Error(`an append ended as ${outcome.kind}`)
}
