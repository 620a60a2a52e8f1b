import type { FeedBatch, StoredEvent } from '#packages/ports/event-store.ts'
import type { PageLimits } from '../feed-batch.ts'

/**
 * The newest events, decoded once for the whole process. Followers at the end, and reads of streams that were just
 * written, do not touch the file. The tail holds every event after some position. Positions may have gaps, so the store
 * that fills it makes sure that no event is missing.
 */
export class EventTail {
  readonly #limits: PageLimits
  /** In the order of positions; those before `#first` are dropped. A removed or truncated event is undefined. */
  #held: (StoredEvent | undefined)[] = []
  #positions: number[] = []
  #sizes: number[] = []
  #first = 0
  readonly #streams = new Map<string, StoredEvent[]>()
  #bytes = 0
  #start: number
  #end: number

  /** @param position the present end of the file: only later events are held */
  constructor(limits: PageLimits, position: number) {
    this.#limits = limits
    this.#start = position
    this.#end = position
  }

  /** The position up to which no event is missing. */
  get end(): number {
    return this.#end
  }

  /**
   * Adds an event of about this many bytes. Events arrive in the order of positions. Adding one again changes nothing.
   */
  add(event: StoredEvent, bytes: number): void {
    const { stream, position } = event
    if (position <= this.#end) return
    this.#held.push(event)
    this.#positions.push(position)
    this.#sizes.push(bytes)
    this.#end = position
    this.#bytes += bytes
    const ofStream = this.#streams.get(stream)
    if (ofStream === undefined) this.#streams.set(stream, [event])
    else ofStream.push(event)
    while (this.#size > this.#limits.events || (this.#bytes > this.#limits.bytes && this.#size > 0)) this.#dropOldest()
  }

  get #size(): number {
    return this.#held.length - this.#first
  }

  /** Drops all events. From now on the events after this position are held. */
  restart(position: number): void {
    this.#held = []
    this.#positions = []
    this.#sizes = []
    this.#first = 0
    this.#streams.clear()
    this.#bytes = 0
    this.#start = position
    this.#end = position
  }

  /** Drops the events of a stream before a revision, or all of them if the stream was removed. */
  forget(stream: string, before = Number.POSITIVE_INFINITY): void {
    const held = this.#streams.get(stream) ?? []
    for (const { position, revision } of held) if (revision < before) this.#clear(this.#placeAfter(position) - 1)
    const left = held.filter(({ revision }) => revision >= before)
    if (left.length === 0) this.#streams.delete(stream)
    else this.#streams.set(stream, left)
  }

  /** The events after a position, within the limits; undefined if they are no longer held. */
  after(position: number, prefixes: readonly string[], limits: PageLimits): FeedBatch | undefined {
    if (position < this.#start) return undefined
    const events: StoredEvent[] = []
    let bytes = 0
    let last = position
    for (let place = this.#placeAfter(position); place < this.#held.length; place++) {
      if (events.length >= limits.events || bytes >= limits.bytes) return { events, position: last, caughtUp: false }
      const event = this.#held[place]
      if (event !== undefined && prefixes.some((prefix) => event.stream.startsWith(prefix))) {
        events.push(event)
        bytes += this.#sizes[place] ?? 0
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
    return held.slice(from - first, to - first + 1)
  }

  /** The index of the first event after a position. The search begins at the end, because most readers are near it. */
  #placeAfter(position: number): number {
    let high = this.#positions.length
    let step = 1
    while (high - step >= this.#first && (this.#positions[high - step] ?? 0) > position) {
      high -= step
      step *= 2
    }
    let low = Math.max(this.#first, high - step)
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
    this.#clear(this.#first)
    this.#first++
    if (event !== undefined) {
      const ofStream = this.#streams.get(event.stream)
      ofStream?.shift()
      if (ofStream?.length === 0) this.#streams.delete(event.stream)
    }
    // Compacts only occasionally, so that dropping costs little for each event.
    if (this.#first <= this.#limits.events) return
    this.#held = this.#held.slice(this.#first)
    this.#positions = this.#positions.slice(this.#first)
    this.#sizes = this.#sizes.slice(this.#first)
    this.#first = 0
  }

  #clear(place: number): void {
    if (this.#held[place] === undefined) return
    this.#held[place] = undefined
    this.#bytes -= this.#sizes[place] ?? 0
  }
}
