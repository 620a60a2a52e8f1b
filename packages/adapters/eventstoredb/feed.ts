import { setTimeout as sleep } from 'node:timers/promises'
import type { EventCodec } from '#packages/events/codec.ts'
import type { FeedBatch, FollowOptions } from '#packages/ports/event-store.ts'
import type { PageLimits } from '../feed-batch.ts'
import { commitOf, type RecordedEvent, tombstoneType } from './calls/records.ts'
import type { Connection } from './connection.ts'
import { type ServerLiveness, Subscriber } from './subscriber.ts'

export type FeedOptions = {
  codec: EventCodec
  /** Prefixes of our streams. */
  prefixes: readonly string[]
  /** Limits of a batch. */
  page: PageLimits
}

/** The server lets a client have 100 calls at once, and keeps silent about more. A subscription is one of them. */
const mostFollowers = 50

/** How often missing events are looked for. After this silence the server is asked for the end of the log. */
const askAfterMs = 400
/** After this silence the feed no longer counts as caught up: a revoked key must be noticed within 1 s. */
const trustedForMs = 850

/** The followers of this process, each with a subscription of its own, and whether the server is heard by any of them. */
export class Feed implements ServerLiveness, AsyncDisposable {
  readonly #connection: Connection
  readonly #options: FeedOptions
  readonly #closed = new AbortController()
  readonly #subscribers = new Set<Subscriber>()
  /** When the server last sent something, or when a question was sent that it has answered since. */
  #heardAt = Number.NEGATIVE_INFINITY
  #isHeard = false
  #silence: NodeJS.Timeout | undefined
  #listening: Promise<void> | undefined

  constructor(connection: Connection, options: FeedOptions) {
    this.#connection = connection
    this.#options = options
  }

  /** False where the server was silent for so long that it may be frozen. */
  get isHeard(): boolean {
    return this.#isHeard
  }

  /**
   * The feed after a position, of streams of some prefixes.
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
      // Not awaited: a call may be under way that a frozen server does not answer.
      void subscriber.ended.then(() => this.#subscribers.delete(subscriber))
    }
  }

  /**
   * An event was written to a stream at this position. Followers of it that have not received it within a second have
   * not caught up.
   */
  know(stream: string, position: number): void {
    for (const subscriber of this.#subscribers) subscriber.know(stream, position)
  }

  /** A stream was removed by the tombstone at this position. */
  forget(stream: string, position: number): void {
    for (const subscriber of this.#subscribers) subscriber.forget(stream, position)
  }

  /** An event was seen in the log; whether it belongs to a follower, to others of ours or to other programs. */
  note(event: RecordedEvent): void {
    const { id, streamId: stream } = event
    if (!this.#options.prefixes.some((prefix) => stream.startsWith(prefix))) return
    const position = commitOf(event)
    this.know(stream, position)
    if (event.type === tombstoneType) this.#connection.mark.note(position)
    else this.#connection.mark.noteEvent({ id, stream, revision: Number(event.revision), position })
  }

  /** Notes when the server was heard. Followers are notified once that is too long ago. */
  heard(at: number): void {
    if (at <= this.#heardAt) return
    this.#heardAt = at
    const trustedFor = at + trustedForMs - performance.now()
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
   * Asks for the end of the log while all subscriptions are silent: a frozen connection looks like a store to which
   * nothing is written, and the client takes 13 s to notice.
   */
  async #listen(): Promise<void> {
    const { signal } = this.#closed
    let askedAt = performance.now()
    while (!signal.aborted) {
      const pauseMs = Math.max(0, askedAt + askAfterMs - performance.now())
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
      askedAt = performance.now()
      for (const subscriber of this.#subscribers) subscriber.tick()
      const isAnyLive = this.#subscribers.values().some(({ isLive }) => isLive)
      if (signal.aborted || !isAnyLive || askedAt - this.#heardAt < askAfterMs) continue
      const { client } = this.#connection
      try {
        const last = await this.#connection.lastEvent(client)
        // A replaced client ends its reads as if the log were empty.
        if (client !== this.#connection.client) continue
        await this.#look(last)
        this.heard(askedAt)
        this.#connection.succeeded('feed')
      } catch (error) {
        if (!signal.aborted) this.#connection.failed(client, error, 'feed')
      }
      this.#notify()
    }
  }

  /** @throws PutBackError the log ends before a position that was seen */
  async #look(last: RecordedEvent | undefined): Promise<void> {
    const { mark, problem } = this.#connection
    if (problem !== undefined || (last === undefined ? 0 : commitOf(last)) < mark.position) this.#connection.doubt()
    await this.#connection.verify()
    if (last !== undefined) this.note(last)
  }

  /** Ends all followers. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort()
    clearTimeout(this.#silence)
    await Promise.all([this.#listening, ...Array.from(this.#subscribers, ({ ended }) => ended)])
  }
}

/** What a subscriber receives, as soon as it has moved on or stands differently. */
async function* batchesOf(subscriber: Subscriber, { after, signal }: FollowOptions): AsyncGenerator<FeedBatch> {
  let position = after
  let told = false
  while (!signal.aborted) {
    const { error, ...batch } = subscriber.take()
    if (batch.position > position || told !== batch.caughtUp) {
      position = batch.position
      told = batch.caughtUp
      yield batch
    } else if (error !== undefined) throw error
    else await subscriber.changed.wait(signal)
  }
}
