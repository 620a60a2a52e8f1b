import { randomUUID } from 'node:crypto'
import { type AppendDecision, decideAppend, repeatedInPart } from '#packages/adapters/append-decision.ts'
import { feedBatch } from '#packages/adapters/feed-batch.ts'
import { Notifier } from '#packages/adapters/notifier.ts'
import { type EncodedEvent, type EncodedRecord, EventCodec } from '#packages/events/format/codec.ts'
import type { Clock } from '#packages/ports/clock.ts'
import {
  type Appended,
  assertTogether,
  type EventStore,
  type ExpectedRevision,
  type FeedBatch,
  type FollowOptions,
  type NewEvent,
  noSuchRevision,
  type ReadOptions,
  RevisionConflictError,
  type StoredEvent,
  type StreamAppend,
  StreamRemovedError,
} from '#packages/ports/event-store.ts'

const firstOf = (records: readonly EncodedRecord[]): number => records[0]?.revision ?? 0
const lastOf = (records: readonly EncodedRecord[]): number => records.at(-1)?.revision ?? -1

/** The "disk" of a MemoryEventStore, which outlives it. Several stores may share one. */
export class MemoryEvents {
  readonly id: string = randomUUID()
  /** Index n is position n + 1; undefined for removed events and skipped positions. */
  readonly feed: (EncodedRecord | undefined)[] = []
  /** The remaining events of each stream that was not removed. A stream never becomes empty again. */
  readonly streams = new Map<string, EncodedRecord[]>()
  readonly removed = new Set<string>()
  readonly appended = new Notifier()
  #gap = 0

  /** Simulates a scavenge: deletes removed events and skips this many positions. */
  scavenge(places: number): void {
    this.#gap += places
  }

  /** Adds a record at the end. */
  add(record: Omit<EncodedRecord, 'position'>): EncodedRecord {
    for (; this.#gap > 0; this.#gap--) this.feed.push(undefined)
    const placed = { ...record, position: this.feed.length + 1 }
    this.feed.push(placed)
    return placed
  }
}

/** How many events to look at for one batch of a follower. */
const pageEvents = 1000

/**
 * An EventStore without a disk. It has no timers and no randomness, so it depends only on its calls. Events are frozen
 * when they are read, so that a test fails if code changes them.
 */
export class MemoryEventStore implements EventStore {
  readonly #events: MemoryEvents
  readonly #clock: Clock
  readonly #codec: EventCodec
  readonly #closed = new AbortController()
  readonly #decode = (record: EncodedRecord): StoredEvent => frozen(this.#codec.decode(record))

  constructor(options: { clock: Clock; events?: MemoryEvents; codec?: EventCodec }) {
    this.#clock = options.clock
    this.#events = options.events ?? new MemoryEvents()
    this.#codec = options.codec ?? new EventCodec()
  }

  /** No other program can damage events in memory. */
  async id(): Promise<string> {
    return this.#events.id
  }

  integrityProblem(): undefined {}

  async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended> {
    return this.#decided({ stream, expected, events }).write()
  }

  async appendTogether(appends: readonly StreamAppend[]): Promise<readonly Appended[]> {
    assertTogether(appends)
    const decided = appends.map((append) => this.#decided(append))
    const partial = repeatedInPart(decided.map(({ decision }) => decision))
    if (partial !== undefined) {
      const { stream, expected } = appends[partial.index] as StreamAppend
      throw new RevisionConflictError(stream, expected, partial.actual)
    }
    return decided.map(({ write }) => write())
  }

  /** Decides an append. `write` carries it out. */
  #decided({ stream, expected, events }: StreamAppend): { decision: AppendDecision; write: () => Appended } {
    this.#assertOpen()
    const encoded = this.#codec.encode(stream, events)
    if (this.#events.removed.has(stream)) throw new StreamRemovedError(stream)
    const records = this.#events.streams.get(stream) ?? []
    const first = firstOf(records)
    const end = {
      last: lastOf(records),
      // Empty if some of the events were truncated.
      idsFrom: (from: number, count: number) =>
        from < first ? [] : records.slice(from - first, from - first + count).map((record) => record.id),
    }
    const ids = encoded.map((event) => event.id)
    const decision = decideAppend(end, expected, ids)
    if (decision.kind === 'conflict') throw new RevisionConflictError(stream, expected, decision.actual)
    const write = (): Appended => {
      if (decision.kind === 'write') this.#write(stream, records, encoded)
      const revision = decision.kind === 'repeat' ? decision.revision : lastOf(records)
      return { revision, position: records[revision - first]?.position ?? 0 }
    }
    return { decision, write }
  }

  #write(stream: string, records: EncodedRecord[], encoded: readonly EncodedEvent[]): void {
    const recordedAt = this.#clock.now()
    for (const event of encoded) {
      records.push(this.#events.add({ ...event, stream, revision: lastOf(records) + 1, recordedAt }))
    }
    this.#events.streams.set(stream, records)
    this.#events.appended.notify()
  }

  async read(stream: string, { from = 0, to = Number.MAX_SAFE_INTEGER }: ReadOptions = {}): Promise<StoredEvent[]> {
    this.#assertOpen()
    const records = this.#events.streams.get(stream) ?? []
    return records.filter(({ revision }) => revision >= from && revision <= to).map(this.#decode)
  }

  async *readBackwards(stream: string): AsyncIterable<StoredEvent> {
    this.#assertOpen()
    const ofStream = () => this.#events.streams.get(stream) ?? []
    for (let revision = lastOf(ofStream()); revision >= 0; revision--) {
      const records = ofStream()
      const record = records[revision - firstOf(records)]
      if (record === undefined) return
      yield this.#decode(record)
    }
  }

  async *follow(options: FollowOptions): AsyncIterable<FeedBatch> {
    this.#assertOpen()
    const signal = AbortSignal.any([options.signal, this.#closed.signal])
    const { feed, appended } = this.#events
    let position = options.after
    let reported = false
    while (!signal.aborted) {
      if (reported && feed.length <= position) {
        await appended.wait(signal)
        continue
      }
      const end = Math.max(position, Math.min(feed.length, position + pageEvents))
      const records = feed.slice(position, end).filter((record) => record !== undefined)
      const wanted = records.filter((record) => options.prefixes.some((prefix) => record.stream.startsWith(prefix)))
      const page = { records: wanted, position: end, caughtUp: end >= feed.length }
      for (const batch of feedBatch(this.#decode, page)) yield batch
      reported = page.caughtUp
      position = end
    }
  }

  async remove(stream: string): Promise<void> {
    this.#assertOpen()
    for (const record of this.#events.streams.get(stream) ?? []) this.#events.feed[record.position - 1] = undefined
    this.#events.streams.delete(stream)
    this.#events.removed.add(stream)
  }

  async isRemoved(stream: string): Promise<boolean> {
    this.#assertOpen()
    return this.#events.removed.has(stream)
  }

  async truncate(stream: string, before: number): Promise<void> {
    this.#assertOpen()
    if (this.#events.removed.has(stream)) return
    const records = this.#events.streams.get(stream) ?? []
    if (!Number.isSafeInteger(before) || before < 0 || before > lastOf(records)) throw noSuchRevision(stream, before)
    const given = records.splice(0, Math.max(0, before - firstOf(records)))
    for (const { position } of given) this.#events.feed[position - 1] = undefined
  }

  #assertOpen(): void {
    if (this.#closed.signal.aborted) throw new Error('the event store is closed')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort()
  }
}

/** Freezes JSON data deeply. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}
