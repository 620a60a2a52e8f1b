import type { FeedBatch, StoredEvent } from '#packages/ports/event-store.ts'
import type { PageLimits } from './event-reader.ts'

/** An event and about how many bytes it holds. */
type Held = { event: StoredEvent; bytes: number }

/**
 * The newest events of the file, decoded once for everybody: who follows at the end, and who reads a stream that has
 * just been written, asks nothing of the file. It holds every event from some position on, without a gap: where one
 * would arise, because another process has written, it begins anew behind the gap.
 */
export class EventTail {
  readonly #limits: PageLimits
  /** The event of position p has place p modulo the length; undefined where its stream was removed. */
  readonly #ring: (Held | undefined)[]
  readonly #streams = new Map<string, StoredEvent[]>()
  #bytes = 0
  /** Everything after this position, up to and including `#end`, is held. */
  #start: number
  #end: number

  /** @param position where the file ends now: what comes after it is held */
  constructor(limits: PageLimits, position: number) {
    this.#limits = limits
    this.#ring = new Array(limits.events)
    this.#start = position
    this.#end = position
  }

  /** The last position that is known of. */
  get end(): number {
    return this.#end
  }

  /** Takes in a written event, in the order of positions. One that is known already changes nothing. */
  add(event: StoredEvent, bytes: number): void {
    const { position, stream } = event
    if (position <= this.#end) return
    if (position > this.#end + 1) this.restart(position - 1)
    if (this.#end - this.#start === this.#limits.events) this.#dropOldest()
    this.#ring[position % this.#limits.events] = { event, bytes }
    this.#end = position
    this.#bytes += bytes
    const ofStream = this.#streams.get(stream)
    if (ofStream === undefined) this.#streams.set(stream, [event])
    else ofStream.push(event)
    while (this.#bytes > this.#limits.bytes && this.#start < this.#end) this.#dropOldest()
  }

  /** Forgets everything: from now on what comes after this position is held. */
  restart(position: number): void {
    this.#ring.fill(undefined)
    this.#streams.clear()
    this.#bytes = 0
    this.#start = position
    this.#end = position
  }

  /** Forgets the events of a stream that was removed. */
  forget(stream: string): void {
    for (const { position } of this.#streams.get(stream) ?? []) this.#clear(position)
    this.#streams.delete(stream)
  }

  /** What lies after a position, no more than the limits allow; undefined where that is not held, or not yet known. */
  after(position: number, prefixes: readonly string[], limits: PageLimits): FeedBatch | undefined {
    if (position < this.#start || position > this.#end) return undefined
    const events: StoredEvent[] = []
    let bytes = 0
    let last = position
    while (last < this.#end && events.length < limits.events && bytes < limits.bytes) {
      last++
      const held = this.#ring[last % this.#limits.events]
      if (held === undefined || !prefixes.some((prefix) => held.event.stream.startsWith(prefix))) continue
      events.push(held.event)
      bytes += held.bytes
    }
    return { events, position: last, caughtUp: last === this.#end }
  }

  /** The events of a stream from one revision to another, both included; undefined unless all of them are held. */
  ofStream(stream: string, from: number, to: number): StoredEvent[] | undefined {
    const held = this.#streams.get(stream)
    const first = held?.[0]?.revision ?? Number.POSITIVE_INFINITY
    if (held === undefined || first > from || first + held.length <= to) return undefined
    return held.slice(from - first, to - first + 1)
  }

  #dropOldest(): void {
    this.#start++
    const oldest = this.#ring[this.#start % this.#limits.events]
    if (oldest === undefined) return
    this.#clear(this.#start)
    const { stream } = oldest.event
    const ofStream = this.#streams.get(stream)
    ofStream?.shift()
    if (ofStream?.length === 0) this.#streams.delete(stream)
  }

  #clear(position: number): void {
    const place = position % this.#limits.events
    this.#bytes -= this.#ring[place]?.bytes ?? 0
    this.#ring[place] = undefined
  }
}
