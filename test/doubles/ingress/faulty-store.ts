import type {
  EventStore,
  ExpectedRevision,
  FeedBatch,
  FollowOptions,
  NewEvent,
  StoredEvent,
} from '#packages/ports/event-store.ts'

type Appended = { revision: number; position: number }
type Fault = (stream: string, events: readonly NewEvent[], proceed: () => Promise<Appended>) => Promise<Appended>

/** An EventStore whose appends a test can break: before they are stored, or after, when only the answer is lost. */
export class FaultyStore implements EventStore {
  readonly #inner: EventStore
  /** Stands in the way of every append. */
  fault: Fault | undefined
  /** Names of streams, in the order they were read. */
  readonly reads: string[] = []
  /** Streams appended to, in order, repeats included. */
  readonly appends: string[] = []

  constructor(inner: EventStore) {
    this.#inner = inner
  }

  integrityProblem(): string | undefined {
    return this.#inner.integrityProblem()
  }

  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended> {
    this.appends.push(stream)
    const proceed = () => this.#inner.append(stream, expected, events)
    return this.fault === undefined ? proceed() : this.fault(stream, events, proceed)
  }

  read(stream: string, options?: { from?: number }): Promise<StoredEvent[]> {
    this.reads.push(stream)
    return this.#inner.read(stream, options)
  }

  readBackwards(stream: string): AsyncIterable<StoredEvent> {
    this.reads.push(stream)
    return this.#inner.readBackwards(stream)
  }

  follow(options: FollowOptions): AsyncIterable<FeedBatch> {
    return this.#inner.follow(options)
  }

  remove(stream: string): Promise<void> {
    return this.#inner.remove(stream)
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#inner[Symbol.asyncDispose]()
  }
}
