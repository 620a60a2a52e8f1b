import { setTimeout as sleep } from 'node:timers/promises'
import type { EventCodec } from '#packages/events/codec.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { EventTail } from '../event-tail.ts'
import type { PageLimits } from '../feed-batch.ts'
import { Notifier } from '../notifier.ts'
import type { Connection } from './connection.ts'
import { commitOf, type RecordedEvent, recordedPosition, sizeOf, storedEvent, tombstoneType } from './records.ts'
import { type FeedItem, subscribeToFeed } from './subscription.ts'

/** An event of the feed, decoded when it is read. */
type HeldEvent = {
  stream: string
  revision: number
  position: number
  /** @throws the errors of EventCodec.decode */
  stored(): StoredEvent
}

export type LiveFeedOptions = {
  codec: EventCodec
  /** Prefixes of the streams that it follows. */
  prefixes: readonly string[]
  limits: PageLimits
}

const firstDelayMs = 25
const longestDelayMs = 1000

/** After this silence the server is asked for the end of the log. */
const askAfterMs = 400
/** After this silence the feed no longer counts as caught up: a revoked key must be noticed within 1 s. */
const trustedForMs = 850

/**
 * The one subscription of this process: fills the tail that all followers share, and begins again after the last event
 * whenever it fails.
 */
export class LiveFeed implements AsyncDisposable {
  /** Notified when followers may have something new to read. */
  readonly changed = new Notifier()
  readonly #connection: Connection
  readonly #options: LiveFeedOptions
  readonly #closed = new AbortController()
  /**
   * Streams that were removed or truncated here, with the position of that: until it arrives, their events before the
   * revision may still come.
   */
  readonly #leaving = new Map<string, { position: number; before: number }>()
  #tail: EventTail<HeldEvent> | undefined
  #live = false
  #known = 0
  /** When the server last sent something, or when a question was sent that it has answered since. */
  #heardAt = Number.NEGATIVE_INFINITY
  #isHeard = false
  #silence: NodeJS.Timeout | undefined
  #running: Promise<unknown> | undefined
  #ringing: NodeJS.Immediate | undefined

  constructor(connection: Connection, options: LiveFeedOptions) {
    this.#connection = connection
    this.#options = options
  }

  /** The newest events; undefined until the feed is reached for the first time. */
  get tail(): EventTail<HeldEvent> | undefined {
    return this.#tail
  }

  /** True while the server is heard, and every known position has been received. */
  get caughtUp(): boolean {
    if (this.#connection.problem !== undefined) return false
    return this.#live && this.#isHeard && this.#tail !== undefined && this.#tail.end >= this.#known
  }

  /** Begins to receive events. */
  start(): void {
    this.#running ??= Promise.all([this.#run(), this.#listen()])
  }

  /** An event was written at this position: the feed has not caught up before it has received it. */
  know(position: number): void {
    if (position > this.#known) this.#known = position
  }

  /** A stream was removed by the tombstone, or truncated before a revision by the metadata, at this position. */
  forget(stream: string, position: number, before = Number.POSITIVE_INFINITY): void {
    this.#tail?.forget(stream, before)
    if (this.#tail === undefined || this.#tail.end < position) this.#leaving.set(stream, { position, before })
    this.changed.notify()
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed
    for (let delayMs = firstDelayMs; !signal.aborted; ) {
      const { client } = this.#connection
      try {
        await this.#connection.verify()
        this.#tail ??= new EventTail(this.#options.limits, await this.#connection.endOfLog(), (event) => event.stored())
        this.changed.notify()
        const filter = { streams: this.#options.prefixes }
        for await (const item of subscribeToFeed(this.#connection.sourceOf(client), this.#tail.end, filter, signal)) {
          this.#take(this.#tail, item)
          delayMs = firstDelayMs
        }
      } catch (error) {
        this.#live = false
        this.changed.notify()
        if (!signal.aborted) this.#connection.failed(client, error, 'feed')
      }
      await sleep(delayMs, undefined, { signal }).catch(() => undefined)
      delayMs = Math.min(delayMs * 2, longestDelayMs)
    }
  }

  /**
   * Asks for the end of the log while the subscription is silent: a frozen connection looks like a store to which
   * nothing is written, and the client takes 13 s to notice.
   */
  async #listen(): Promise<void> {
    const { signal } = this.#closed
    let askedAt = performance.now()
    while (!signal.aborted) {
      const pauseMs = Math.max(0, askedAt + askAfterMs - performance.now())
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
      askedAt = performance.now()
      if (signal.aborted || !this.#live || askedAt - this.#heardAt < askAfterMs) continue
      const { client } = this.#connection
      try {
        const last = await this.#connection.lastEvent(client)
        // A replaced client ends its reads as if the log were empty.
        if (client !== this.#connection.client) continue
        await this.#look(last)
        this.#heard(askedAt)
        this.#connection.succeeded('feed')
      } catch (error) {
        if (!signal.aborted) this.#connection.failed(client, error, 'feed')
      }
      this.changed.notify()
    }
  }

  /** @throws PutBackError the log ends before a position that was seen */
  async #look(last: RecordedEvent | undefined): Promise<void> {
    const { mark, problem } = this.#connection
    if (problem !== undefined || (last === undefined ? 0 : commitOf(last)) < mark.position) this.#connection.doubt()
    await this.#connection.verify()
    if (last !== undefined && this.#isOurs(last.streamId)) this.know(recordedPosition(last))
  }

  #isOurs(stream: string): boolean {
    return this.#options.prefixes.some((prefix) => stream.startsWith(prefix))
  }

  /** Notes when the server was heard. Followers are notified once that is too long ago. */
  #heard(at: number): void {
    if (at <= this.#heardAt) return
    this.#heardAt = at
    const trustedFor = at + trustedForMs - performance.now()
    if (trustedFor <= 0) return
    this.#isHeard = true
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => {
      this.#isHeard = false
      this.changed.notify()
    }, trustedFor).unref()
  }

  #take(tail: EventTail<HeldEvent>, item: FeedItem): void {
    this.#heard(performance.now())
    if (item.kind === 'checkpoint') tail.advance(item.position)
    else if (item.kind === 'event') this.#receive(tail, item.event, item.position)
    else {
      this.#live = true
      this.#connection.succeeded('feed')
    }
    for (const [stream, { position }] of this.#leaving) if (position <= tail.end) this.#leaving.delete(stream)
    // Events that arrive together are one batch for followers.
    this.#ringing ??= setImmediate(() => {
      this.#ringing = undefined
      this.changed.notify()
    })
  }

  #receive(tail: EventTail<HeldEvent>, event: RecordedEvent, position: number): void {
    this.#connection.mark.note(position)
    if (event.type === tombstoneType) {
      tail.forget(event.streamId)
      tail.advance(position)
    } else if (Number(event.revision) < (this.#leaving.get(event.streamId)?.before ?? 0)) tail.advance(position)
    else {
      const { id, streamId: stream, revision } = event
      this.#connection.mark.noteEvent({ id, stream, revision: Number(revision), position })
      tail.add(heldEvent(this.#options.codec, event, position), sizeOf(event))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort()
    clearTimeout(this.#silence)
    await this.#running
  }
}

function heldEvent(codec: EventCodec, event: RecordedEvent, position: number): HeldEvent {
  let stored: StoredEvent | undefined
  return {
    stream: event.streamId,
    revision: Number(event.revision),
    position,
    stored() {
      stored ??= storedEvent(codec, event)
      return stored
    },
  }
}
