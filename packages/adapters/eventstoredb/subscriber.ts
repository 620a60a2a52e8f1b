import { setTimeout as sleep } from 'node:timers/promises'
import { ErrorType } from '@eventstore/db-client'
import type { EventCodec } from '#packages/events/format/codec.ts'
import type { FeedBatch, FollowOptions, StoredEvent } from '#packages/ports/event-store.ts'
import type { PageLimits } from '../feed-batch.ts'
import { Notifier } from '../notifier.ts'
import { isAnswered, PositionError, typeOf } from './calls/failures.ts'
import { commitOf, type RecordedEvent, sizeOf, storedEvent, tombstoneType } from './calls/records.ts'
import { PutBackError } from './calls/refusals.ts'
import type { Connection } from './connection.ts'
import { seenIn } from './high-water-mark.ts'
import { type FeedItem, type FeedSource, subscribeToFeed } from './subscription.ts'

/** What all subscribers of a process know about the server. */
export type ServerLiveness = {
  /** False if the server has been silent for so long that it may be frozen. */
  readonly isHeard: boolean
  /** Records when the server sent something. */
  heard(at: number): void
  /** Records an event of the log, including other programs' events. */
  note(event: RecordedEvent): void
}

export type SubscriberParts = { connection: Connection; liveness: ServerLiveness; codec: EventCodec; page: PageLimits }

const firstDelayMs = 25
const longestDelayMs = 1000

/**
 * The subscription of one follower. It yields only streams with the follower's prefixes. It receives at most one batch
 * ahead of the follower. After a failure it resumes after the last event.
 */
export class Subscriber {
  /** Notified when the follower may have something new to take. */
  readonly changed = new Notifier()
  /** Resolves after an error, or once the signal is aborted and nothing is received any more. */
  readonly ended: Promise<void>
  readonly #parts: SubscriberParts
  readonly #prefixes: readonly string[]
  readonly #signal: AbortSignal
  /** Events received since the follower took the last batch. */
  #events: StoredEvent[] = []
  #bytes = 0
  readonly #room = new Notifier()
  /** Every event up to here was received or belongs to others. */
  #position: number
  /** The newest known event of these streams: now, one tick ago and two ticks ago. */
  #known = { newest: 0, before: 0, longBefore: 0 }
  /** True once the server has sent something, which proves that the position belongs to this store. */
  #isConfirmed = false
  #isLive = false
  #error: unknown
  /** Streams with a tombstone that has not arrived yet. Their events may still arrive before it. */
  readonly #removed = new Set<string>()
  #ringing: NodeJS.Immediate | undefined

  constructor(parts: SubscriberParts, { after, prefixes, signal }: FollowOptions) {
    this.#parts = parts
    this.#prefixes = prefixes
    this.#signal = signal
    this.#position = after
    this.ended = this.#run()
  }

  /** True from the end of history until the subscription fails. */
  get isLive(): boolean {
    return this.#isLive
  }

  /** What arrived since the last call. `error`: the next event can never be delivered. */
  take(): FeedBatch & { error?: unknown } {
    const { connection, liveness } = this.#parts
    const isHeard = this.#isLive && liveness.isHeard && connection.problem === undefined
    const caughtUp = isHeard && !this.#isFull && this.#position >= this.#known.longBefore && this.#error === undefined
    const batch = { events: this.#events, position: this.#position, caughtUp, error: this.#error }
    this.#events = []
    this.#bytes = 0
    this.#room.notify()
    return batch
  }

  /**
   * Records that an event was written at this position. If this follower reads its stream, the event has to arrive
   * soon.
   */
  know(stream: string, position: number): void {
    if (position > this.#known.newest && this.#wants(stream)) this.#known.newest = position
  }

  /** Called at intervals. An event that was known two calls ago and has not arrived yet is missing. */
  tick(): void {
    const { newest, before } = this.#known
    this.#known = { newest, before: newest, longBefore: before }
    this.changed.notify()
  }

  /** Records that the tombstone at this position removed a stream. */
  forget(stream: string, position: number): void {
    if (!this.#wants(stream)) return
    this.#events = this.#events.filter((event) => event.stream !== stream)
    if (this.#position < position) this.#removed.add(stream)
  }

  #wants(stream: string): boolean {
    return this.#prefixes.some((prefix) => stream.startsWith(prefix))
  }

  get #isFull(): boolean {
    return this.#events.length >= this.#parts.page.events || this.#bytes >= this.#parts.page.bytes
  }

  async #run(): Promise<void> {
    const { connection } = this.#parts
    for (let delayMs = firstDelayMs; !this.#signal.aborted; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
      const { client } = connection
      let isBegun = false
      try {
        const source = connection.sourceOf(client)
        const end = await this.#prepare(source)
        for await (const items of subscribeToFeed(source, this.#position, { streams: this.#prefixes }, this.#signal)) {
          isBegun = true
          delayMs = firstDelayMs
          await this.#receive(items, end)
        }
      } catch (error) {
        if (this.#signal.aborted) return
        this.#isLive = false
        // This store gave out the position, so the position is not wrong: another store may now be in its place.
        const isReplaced = error instanceof PositionError && this.#isConfirmed && !isBegun
        if (isAnswered(error) && !isReplaced) this.#error = error
        this.changed.notify()
        if (this.#error !== undefined) return
        if (!isTooSlow(error)) connection.failed(client, error, 'feed')
      }
      await sleep(delayMs, undefined, { signal: this.#signal }).catch(() => undefined)
    }
  }

  /** Verifies the store and the position in it. Returns the end of the log, including other programs' events. */
  async #prepare(source: FeedSource): Promise<number> {
    const { connection, liveness } = this.#parts
    await connection.verify()
    const last = await connection.lastEvent(source.client)
    // A replaced client ends its reads as if the log were empty.
    if (source.client !== connection.client) throw new Error('the client was replaced')
    if (last !== undefined) liveness.note(last)
    const end = last === undefined ? 0 : commitOf(last)
    if (end < this.#position) await this.#refuse(end)
    if (end > this.#position) await this.#findRemoved(source)
    return end
  }

  /**
   * A follower from beyond the end would wait for ever, without an error.
   * @throws PositionError its position comes from a store with more events
   */
  async #refuse(end: number): Promise<never> {
    const { connection } = this.#parts
    connection.mark.note(this.#position)
    connection.doubt()
    await connection.verify().catch((error: unknown) => {
      throw error instanceof PutBackError && !this.#isConfirmed ? new PositionError(error.message) : error
    })
    throw new Error(`the event store ends at position ${end}, before position ${this.#position}`)
  }

  /**
   * Records the streams that were tombstoned after the position. The server finds tombstones about ten times as fast as
   * it could send the events.
   */
  async #findRemoved(source: FeedSource): Promise<void> {
    const filter = { types: [tombstoneType] }
    for await (const items of subscribeToFeed(source, this.#position, filter, this.#signal)) {
      for (const item of items) if (item.kind === 'event') this.forget(item.event.streamId, item.position)
      if (items.some(({ kind }) => kind === 'caught-up')) return
    }
  }

  /** @param end the end of the log when the subscription began */
  async #receive(items: readonly FeedItem[], end: number): Promise<void> {
    this.#parts.liveness.heard(performance.now())
    // Events that arrive together form one batch for the follower.
    this.#ringing ??= setImmediate(() => {
      this.#ringing = undefined
      this.changed.notify()
    })
    for (const item of items) {
      this.#receiveOne(item, end)
      while (this.#isFull && !this.#signal.aborted) await this.#room.wait(this.#signal)
    }
  }

  #receiveOne(item: FeedItem, end: number): void {
    if (item.kind === 'event') this.#add(item)
    if (item.kind === 'caught-up') {
      this.#isLive = true
      this.#parts.connection.succeeded('feed')
    }
    this.#isConfirmed = true
    // The end of history has no position of its own, but the server has searched everything before it.
    this.#position = Math.max(this.#position, item.kind === 'caught-up' ? end : item.position)
    this.#parts.connection.mark.note(this.#position)
  }

  /** @throws the errors of EventCodec.decode */
  #add({ event, position, bytes }: FeedItem & { kind: 'event' }): void {
    const { streamId: stream, type } = event
    if (type === tombstoneType) {
      this.forget(stream, position)
      this.#removed.delete(stream)
      return
    }
    if (this.#removed.has(stream)) return
    this.#parts.connection.mark.noteEvent(seenIn(event))
    const stored = storedEvent(this.#parts.codec, event)
    this.#events.push(stored)
    // Data that is not JSON is compressed, so its size has to be computed.
    this.#bytes += event.isJson ? bytes : sizeOf(stored)
  }
}

/** The server drops a live subscription if its reader is too slow. The server itself is fine. */
const isTooSlow = (error: unknown): boolean =>
  typeOf(error) === ErrorType.TIMEOUT && String(error).includes('Consumer too slow')
