import { setTimeout as sleep } from 'node:timers/promises'
import type { EventCodec } from '#packages/events/format/codec.ts'
import type { FeedBatch, FollowOptions } from '#packages/ports/event-store.ts'
import type { PageLimits } from '../feed-batch.ts'
import { commitOf, type RecordedEvent, tombstoneType } from './calls/records.ts'
import type { Connection } from './connection.ts'
import { seenIn } from './high-water-mark.ts'
import { type ServerLiveness, Subscriber } from './subscriber.ts'

export type FeedOptions = {
  codec: EventCodec
  /** Limits of a batch. */
  page: PageLimits
  /** See EventStoreDbOptions. */
  askAfterMs?: number | undefined
}

/** Prefixes of our streams. No others are written and followed. */
export const ourStreams: readonly string[] = [
  'batch-',
  'credits-',
  'delivery-',
  'job-',
  'key-',
  'organization-',
  'removal-',
  'requests-',
  'webhook-',
  'watch-',
]

/**
 * The most followers, each with one subscription. The server allows a client 100 calls at once, and silently ignores
 * more.
 */
const mostFollowers = 50

/** How long to wait for the answer about the end of the log before the feed no longer counts as caught up. */
const answerMs = 450

/** The followers of this process, each with its own subscription, and whether any of them hears from the server. */
export class Feed implements ServerLiveness, AsyncDisposable {
  readonly #connection: Connection
  readonly #options: FeedOptions
  /** How often to look for missing events. After this silence the server is asked for the end of the log. */
  readonly #askAfterMs: number
  readonly #closed = new AbortController()
  readonly #subscribers = new Set<Subscriber>()
  /** When the server last sent something, or when we sent a question that it has answered since. */
  #heardAt = Number.NEGATIVE_INFINITY
  #isHeard = false
  #silence: NodeJS.Timeout | undefined
  #listening: Promise<void> | undefined

  constructor(connection: Connection, options: FeedOptions) {
    this.#connection = connection
    this.#options = options
    this.#askAfterMs = options.askAfterMs ?? 400
  }

  /** False if the server has been silent so long that it may be frozen. */
  get isHeard(): boolean {
    return this.#isHeard
  }

  /**
   * The feed after a position, for streams with the given prefixes.
   * @throws PositionError the position is not one of this store
   * @throws RangeError the process has too many followers
   */
  async *follow(options: FollowOptions): AsyncGenerator<FeedBatch> {
    if (this.#subscribers.size >= mostFollowers)
      throw new RangeError(`a process may follow the event store ${mostFollowers} times at once`)
    const left = new AbortController()
    const signal = AbortSignal.any([options.signal, this.#closed.signal, left.signal])
    if (signal.aborted) return
    this.#listening ??= this.#listen()
    const parts = { connection: this.#connection, liveness: this, codec: this.#options.codec, page: this.#options.page }
    const subscriber = new Subscriber(parts, { ...options, signal })
    this.#subscribers.add(subscriber)
    try {
      yield* batchesOf(subscriber, { ...options, signal })
    } finally {
      left.abort()
      // Not awaited: a frozen server may never answer the call under way.
      void subscriber.ended.then(() => this.#subscribers.delete(subscriber))
    }
  }

  /**
   * Records that an event was written to a stream at this position. A follower of the stream that does not receive it
   * within a second has not caught up.
   */
  know(stream: string, position: number): void {
    for (const subscriber of this.#subscribers) subscriber.know(stream, position)
  }

  /** Records that the tombstone at this position removed a stream. */
  forget(stream: string, position: number): void {
    for (const subscriber of this.#subscribers) subscriber.forget(stream, position)
  }

  /** Records an event seen in the log. It may belong to a follower, to another of our streams or to another program. */
  note(event: RecordedEvent): void {
    const seen = seenIn(event)
    if (!ourStreams.some((prefix) => seen.stream.startsWith(prefix))) return
    this.know(seen.stream, seen.position)
    if (event.type === tombstoneType) this.#connection.mark.note(seen.position)
    else this.#connection.mark.noteEvent(seen)
  }

  /** Records when the server was heard. Followers are notified once that is too long ago. */
  heard(at: number): void {
    if (at <= this.#heardAt) return
    this.#heardAt = at
    const trustedFor = at + this.#askAfterMs + answerMs - performance.now()
    if (trustedFor <= 0) return
    this.#isHeard = true
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => {
      this.#isHeard = false
      this.#notify()
    }, trustedFor).unref()
  }

  #notify(): void {
    for (const { changed } of this.#subscribers) changed.notify()
  }

  /**
   * Asks for the end of the log while all subscriptions are silent. A frozen connection looks like an idle store, and
   * the client takes 13 s to notice.
   */
  async #listen(): Promise<void> {
    const { signal } = this.#closed
    let askedAt = performance.now()
    while (!signal.aborted) {
      const pauseMs = Math.max(0, askedAt + this.#askAfterMs - performance.now())
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
      askedAt = performance.now()
      for (const subscriber of this.#subscribers) subscriber.tick()
      const isAnyLive = this.#subscribers.values().some(({ isLive }) => isLive)
      if (signal.aborted || !isAnyLive || askedAt - this.#heardAt < this.#askAfterMs) continue
      const { client } = this.#connection
      try {
        const last = await this.#connection.lastEvent(client)
        // A replaced client ends its reads as if the log were empty.
        if (client !== this.#connection.client) continue
        const { mark, problem } = this.#connection
        // The log may end before a position that was seen.
        if (problem !== undefined || (last === undefined ? 0 : commitOf(last)) < mark.position) this.#connection.doubt()
        await this.#connection.verify()
        if (last !== undefined) this.note(last)
        this.heard(askedAt)
        this.#connection.succeeded('feed')
      } catch (error) {
        if (!signal.aborted) this.#connection.failed(client, error, 'feed')
      }
      this.#notify()
    }
  }

  /** Ends all followers. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort()
    clearTimeout(this.#silence)
    await Promise.all([this.#listening, ...Array.from(this.#subscribers, ({ ended }) => ended)])
  }
}

/** Yields a batch whenever the subscriber has moved on, or its caught-up status changes. */
async function* batchesOf(subscriber: Subscriber, { after, signal }: FollowOptions): AsyncGenerator<FeedBatch> {
  let position = after
  let reported = false
  while (!signal.aborted) {
    const { error, ...batch } = subscriber.take()
    if (batch.position > position || reported !== batch.caughtUp) {
      position = batch.position
      reported = batch.caughtUp
      yield batch
    } else if (error !== undefined) throw error
    else await subscriber.changed.wait(signal)
  }
}
