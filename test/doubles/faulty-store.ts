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

/** An EventStore that counts, and that a test can break: appends before or after they are stored, and reads. */
export class FaultyStore implements EventStore {
  #inner: EventStore
  /** Stands in the way of every append. */
  fault: Fault | undefined
  /** Names of streams, in the order they were read. */
  readonly reads: string[] = []
  eventsRead = 0
  /** Every append, in order, repeats included. */
  readonly appends: { stream: string; ids: string[] }[] = []
  beforeRead: () => Promise<void> = async () => {}
  afterRead: () => Promise<void> = async () => {}

  constructor(inner: EventStore) {
    this.#inner = inner
  }

  /** What is stored from now on is what another store has, as after putting back a copy. */
  becomes(other: EventStore): void {
    this.#inner = other
  }

  integrityProblem(): string | undefined {
    return this.#inner.integrityProblem()
  }

  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended> {
    this.appends.push({ stream, ids: events.map(({ id }) => id) })
    const proceed = () => this.#inner.append(stream, expected, events)
    return this.fault === undefined ? proceed() : this.fault(stream, events, proceed)
  }

  async read(stream: string, options?: { from?: number }): Promise<StoredEvent[]> {
    this.reads.push(stream)
    await this.beforeRead()
    const events = await this.#inner.read(stream, options)
    this.eventsRead += events.length
    await this.afterRead()
    return events
  }

  async *readBackwards(stream: string): AsyncIterable<StoredEvent> {
    this.reads.push(stream)
    for await (const event of this.#inner.readBackwards(stream)) {
      this.eventsRead++
      yield event
    }
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
