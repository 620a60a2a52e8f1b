import type { FeedBatch, StoredEvent } from '#packages/ports/event-store.ts'

export type PageLimits = { events: number; bytes: number }

/** An event of the feed, decoded when somebody wants it. */
export type HeldEvent = {
  stream: string
  revision: number
  position: number
  bytes: number
  /** @throws the errors of EventCodec.decode */
  stored(): StoredEvent
}

/** What lies after a position; `error` is that of the event that follows, where it cannot be decoded. */
export type TailBatch = FeedBatch & { error?: unknown }

/**
 * The newest events of the store, received once for everybody who follows in this process, or reads a stream that has
 * just been written. It holds every event from some position on. Positions have gaps; that there is none in what it
 * holds is known because one subscription gives them in order.
 */
export class FeedTail {
  readonly #limits: PageLimits
  /** In the order of positions; those before `#first` are dropped. An event of a removed stream is undefined. */
  #held: (HeldEvent | undefined)[] = []
  #positions: number[] = []
  #first = 0
  readonly #streams = new Map<string, HeldEvent[]>()
  #bytes = 0
  #start: number
  #end: number

  /** @param position where the store ends now: what comes after it is held */
  constructor(limits: PageLimits, position: number) {
    this.#limits = limits
    this.#start = position
    this.#end = position
  }

  /** Up to here everything is known. */
  get end(): number {
    return this.#end
  }

  /** Takes in an event, in the order of positions. */
  add(event: HeldEvent): void {
    this.#held.push(event)
    this.#positions.push(event.position)
    this.#end = event.position
    this.#bytes += event.bytes
    const ofStream = this.#streams.get(event.stream)
    if (ofStream === undefined) this.#streams.set(event.stream, [event])
    else ofStream.push(event)
    while (this.#size > this.#limits.events || (this.#bytes > this.#limits.bytes && this.#size > 0)) this.#dropOldest()
  }

  get #size(): number {
    return this.#held.length - this.#first
  }

  /** Nothing of ours lies before this position that is not here. */
  advance(position: number): void {
    if (position > this.#end) this.#end = position
  }

  /** Forgets the events of a stream that was removed. */
  forget(stream: string): void {
    for (const event of this.#streams.get(stream) ?? []) {
      this.#held[this.#placeAfter(event.position) - 1] = undefined
      this.#bytes -= event.bytes
    }
    this.#streams.delete(stream)
  }

  /** What lies after a position, no more than the limits allow; undefined where that is no longer held. */
  after(position: number, prefixes: readonly string[], limits: PageLimits): TailBatch | undefined {
    if (position < this.#start) return undefined
    const events: StoredEvent[] = []
    let [bytes, last] = [0, position]
    for (let place = this.#placeAfter(position); place < this.#held.length; place++) {
      if (events.length >= limits.events || bytes >= limits.bytes) return { events, position: last, caughtUp: false }
      const event = this.#held[place]
      if (event !== undefined && prefixes.some((prefix) => event.stream.startsWith(prefix))) {
        try {
          events.push(event.stored())
        } catch (error) {
          return { events, position: last, caughtUp: false, error }
        }
        bytes += event.bytes
      }
      last = this.#positions[place] ?? last
    }
    return { events, position: Math.max(position, this.#end), caughtUp: true }
  }

  /** The events of a stream from one revision to another, both included; undefined unless all of them are held. */
  ofStream(stream: string, from: number, to: number): StoredEvent[] | undefined {
    const held = this.#streams.get(stream)
    const first = held?.[0]?.revision ?? Number.POSITIVE_INFINITY
    if (held === undefined || first > from || first + held.length <= to) return undefined
    return held.slice(from - first, to - first + 1).map((event) => event.stored())
  }

  /** The place of the first event beyond a position. */
  #placeAfter(position: number): number {
    let [low, high] = [this.#first, this.#positions.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#positions[middle] ?? 0) <= position) low = middle + 1
      else high = middle
    }
    return low
  }

  #dropOldest(): void {
    const event = this.#held[this.#first]
    this.#start = this.#positions[this.#first] ?? this.#start
    this.#held[this.#first] = undefined
    this.#first++
    if (event !== undefined) {
      this.#bytes -= event.bytes
      const ofStream = this.#streams.get(event.stream)
      ofStream?.shift()
      if (ofStream?.length === 0) this.#streams.delete(event.stream)
    }
    // Now and then, so that dropping costs the same for each event.
    if (this.#first <= this.#limits.events) return
    this.#held = this.#held.slice(this.#first)
    this.#positions = this.#positions.slice(this.#first)
    this.#first = 0
  }
}
