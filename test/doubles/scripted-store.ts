import type {
  Appended,
  EventStore,
  ExpectedRevision,
  FeedBatch,
  FollowOptions,
  NewEvent,
  StoredEvent,
} from '#packages/ports/event-store.ts'

type Fault = (stream: string, events: readonly NewEvent[], proceed: () => Promise<Appended>) => Promise<Appended>
type Together = NonNullable<EventStore['appendTogether']>
type FaultTogether = (appends: Parameters<Together>[0], proceed: () => ReturnType<Together>) => ReturnType<Together>

/**
 * An EventStore that records its calls and fails those that a test chooses. (The faults of `faultyStore` in
 * test/simulation are drawn from the seed.)
 */
export class ScriptedStore implements EventStore {
  #inner: EventStore
  /** Called in place of every append; `proceed` appends. */
  fault: Fault | undefined
  /** Names of streams, in the order in which they were read. */
  readonly reads: string[] = []
  eventsRead = 0
  /** Every append, in order, repeats included. */
  readonly appends: { stream: string; ids: string[] }[] = []
  beforeRead: () => Promise<void> = async () => {}
  afterRead: () => Promise<void> = async () => {}
  /** A store that cannot append together, until `canAppendTogether`. */
  declare appendTogether?: Together
  /** Changes what followers read from the feed. */
  feed: (batches: AsyncIterable<FeedBatch>) => AsyncIterable<FeedBatch> = (batches) => batches

  constructor(inner: EventStore) {
    this.#inner = inner
  }

  /** Replaces the stored events by those of another store, as when a copy is restored. */
  becomes(other: EventStore): void {
    this.#inner = other
  }

  id(): Promise<string> {
    return this.#inner.id()
  }

  integrityProblem(): string | undefined {
    return this.#inner.integrityProblem()
  }

  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended> {
    this.appends.push({ stream, ids: events.map(({ id }) => id) })
    const proceed = () => this.#inner.append(stream, expected, events)
    return this.fault === undefined ? proceed() : this.fault(stream, events, proceed)
  }

  /** From now on it can append together. @param fault is called in place of every append together; `proceed` appends */
  canAppendTogether(fault: FaultTogether = (_appends, proceed) => proceed()): void {
    this.appendTogether = (appends) => {
      for (const { stream, events } of appends) this.appends.push({ stream, ids: events.map(({ id }) => id) })
      return fault(appends, () => this.#inner.appendTogether?.(appends) ?? Promise.reject(new Error('it cannot')))
    }
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
    return this.feed(this.#inner.follow(options))
  }

  remove(stream: string): Promise<void> {
    return this.#inner.remove(stream)
  }

  isRemoved(stream: string): Promise<boolean> {
    return this.#inner.isRemoved(stream)
  }

  truncate(stream: string, before: number): Promise<void> {
    return this.#inner.truncate(stream, before)
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#inner[Symbol.asyncDispose]()
  }
}
