import { randomUUID } from 'node:crypto'
import { BACKWARDS, type ReadStreamOptions } from '@eventstore/db-client'
import { EventCodec } from '#packages/events/format/codec.ts'
import {
  type Appended,
  type EventStore,
  type ExpectedRevision,
  type FeedBatch,
  type FollowOptions,
  type NewEvent,
  type ReadOptions,
  RevisionConflictError,
  type StoredEvent,
} from '#packages/ports/event-store.ts'
import type { PageLimits } from '../feed-batch.ts'
import { appendExactly } from './append.ts'
import { proposedOf } from './calls/append-request.ts'
import { unlessRemoved } from './calls/failures.ts'
import { positionOf, storedEvent } from './calls/records.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { Feed, ourStreams } from './feed.ts'
import { eventsOf } from './in-time.ts'
import { truncateStream } from './truncate.ts'

/** A stream with one event, outside the followed streams. The id of that event is the id of the store. */
const STREAM = 'store-id'

/**
 * The first process that asks creates the store's id. The server has no id of its own that would change with a new
 * database.
 */
async function storeIdOf(connection: Connection): Promise<string> {
  for (;;) {
    const read = { maxCount: 1 }
    const [found] = await connection.ask((client) => eventsOf(client, STREAM, read, connection.options.deadlineMs))
    if (found !== undefined) return found.id
    const named = { id: randomUUID(), type: 'StoreNamed', version: 1, data: '{}', metadata: '{}' }
    await appendExactly(connection, proposedOf(STREAM, 'no-stream', [named])).catch((error: unknown) => {
      // Another process was first.
      if (!(error instanceof RevisionConflictError)) throw error
    })
  }
}

export type EventStoreDbOptions = Partial<ConnectionOptions> & {
  /**
   * After this silence the server is asked for the end of the log, milliseconds. Default 400: a process that checks keys
   * must notice a revoked one within 1 s.
   */
  askAfterMs?: number | undefined
  /** Limits of a batch for a follower. Default 1,000 events and about 4 MiB. */
  page?: PageLimits
  /** The events of this release, and the versions that it writes. Default: all, in the newest. */
  codec?: EventCodec
}

const backwardsPageEvents = 100

/**
 * The store on an EventStoreDB or KurrentDB. It connects on the first call.
 * @param url `esdb://user:password@host:2113`, `esdb+discover://…` for a cluster, `?tls=false` for one without TLS
 * @throws Error the URL is not valid
 */
export function openEventStoreDb(url: string, options: EventStoreDbOptions = {}): EventStoreDb {
  return new EventStoreDb(url, { deadlineMs: 2000, patienceMs: 2500, ...options })
}

/**
 * The EventStore on a server. A removed stream is tombstoned. A truncated stream records its first revision in its
 * metadata. Removed events are never read again, but stay in the server's files until an operator runs a scavenge.
 */
export class EventStoreDb implements EventStore {
  readonly #connection: Connection
  readonly #codec: EventCodec
  readonly #feed: Feed
  #id: string | undefined
  #isClosed = false

  constructor(url: string, options: ConnectionOptions & EventStoreDbOptions) {
    this.#connection = new Connection(url, options)
    this.#codec = options.codec ?? new EventCodec()
    const page = options.page ?? { events: 1000, bytes: 4 * 1_048_576 }
    const { askAfterMs } = options
    this.#feed = new Feed(this.#connection, { codec: this.#codec, page, askAfterMs })
  }

  async id(): Promise<string> {
    this.#id ??= await storeIdOf(this.#connection)
    return this.#id
  }

  /** Set if the store was replaced by another or an older one. Then nothing is read or written either. */
  integrityProblem(): string | undefined {
    return this.#connection.problem
  }

  /** Resolves if streams and the feed can be read. @throws RefusedError with what to do @throws Error otherwise */
  async look(): Promise<void> {
    await Promise.all([this.read('batch-nobody'), this.#connection.endOfLog()])
  }

  async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended> {
    this.#assertOurs([stream])
    const encoded = this.#codec.encode(stream, events)
    const appended = await appendExactly(this.#connection, proposedOf(stream, expected, encoded))
    const { position, revision } = appended
    const id = encoded.at(-1)?.id.toLowerCase()
    if (id !== undefined && position > 0) this.#connection.mark.noteEvent({ id, stream, revision, position })
    this.#feed.know(stream, position)
    return appended
  }

  async read(stream: string, { from = 0, to }: ReadOptions = {}): Promise<StoredEvent[]> {
    if (to !== undefined && to < from) return []
    const events = await this.#read(stream, {
      fromRevision: BigInt(from),
      ...(to !== undefined && { maxCount: to - from + 1 }),
    })
    // The server counts from the first event that was not truncated.
    return to === undefined ? events : events.filter(({ revision }) => revision <= to)
  }

  async *readBackwards(stream: string): AsyncIterable<StoredEvent> {
    let fromRevision: bigint | 'end' = 'end'
    for (;;) {
      const page = await this.#read(stream, { direction: BACKWARDS, fromRevision, maxCount: backwardsPageEvents })
      yield* page
      const last = page.at(-1)
      if (last === undefined || last.revision === 0) return
      fromRevision = BigInt(last.revision - 1)
    }
  }

  /** The events of a read; none if the stream does not exist or was removed. */
  #read(stream: string, options: ReadStreamOptions): Promise<StoredEvent[]> {
    const { deadlineMs } = this.#connection.options
    return this.#connection.ask(async (client) => {
      const found = await unlessRemoved(eventsOf(client, stream, options, deadlineMs), [])
      return found.map((event) => storedEvent(this.#codec, event))
    })
  }

  async *follow(options: FollowOptions): AsyncIterable<FeedBatch> {
    this.#assertOurs(options.prefixes)
    yield* this.#feed.follow(options)
  }

  async remove(stream: string): Promise<void> {
    this.#assertOurs([stream])
    const { credentials } = this.#connection
    const { deadlineMs: deadline } = this.#connection.options
    const options = { credentials, deadline, requiresLeader: true }
    const removed = await this.#connection.ask((client) =>
      unlessRemoved(client.tombstoneStream(stream, options), undefined),
    )
    this.#feed.forget(stream, removed?.position === undefined ? 0 : positionOf(removed.position))
  }

  isRemoved(stream: string): Promise<boolean> {
    const { deadlineMs } = this.#connection.options
    return this.#connection.ask((client) => {
      const isThere = eventsOf(client, stream, { maxCount: 1 }, deadlineMs).then(() => false)
      return unlessRemoved(isThere, true)
    })
  }

  async truncate(stream: string, before: number): Promise<void> {
    this.#assertOurs([stream])
    await truncateStream(this.#connection, stream, before)
  }

  /** A stream with another prefix would never reach a follower. */
  #assertOurs(names: readonly string[]): void {
    const other = names.find((name) => !ourStreams.some((prefix) => name.startsWith(prefix)))
    if (other !== undefined) throw new RangeError(`${other} is not under ${ourStreams.join(', ')}`)
  }

  /** Ends followers, and waits for calls under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#feed[Symbol.asyncDispose]()
    await this.#connection[Symbol.asyncDispose]()
  }
}
