import {
  type Appended,
  type EventStore,
  type ExpectedRevision,
  type FeedBatch,
  type FollowOptions,
  type NewEvent,
  type ReadOptions,
  RevisionConflictError,
  type StoredEvent,
  type StreamAppend,
} from '#packages/ports/event-store.ts'
import { codeOf } from './code-of.ts'
import { metrics } from './metrics.ts'
import { names } from './names.ts'
import type { Telemetry } from './telemetry.ts'
import { inTraceOf, isSampled, newSpanId, spanIdOf, traceIdOf } from './traceparent.ts'

type Options = {
  telemetry: Telemetry
  /** `sqlite` or `eventstoredb`. */
  system: string
}

/** What a stream holds: `job`, `credits`, `key` or `organization`. */
const categoryOf = (stream: string): string => stream.slice(0, stream.indexOf('-'))

/** Extended leases give no span: a long step has hundreds. */
function isRecorded({ type, metadata }: NewEvent): boolean {
  // An event that was refused may be anything.
  const traceparent: unknown = metadata?.traceparent
  return type !== 'LeaseExtended' && typeof traceparent === 'string' && isSampled(traceparent)
}

/** One traceparent of each recorded trace that the events belong to. */
function recordedTraces(events: readonly NewEvent[]): Iterable<string> {
  const recorded = events.filter(isRecorded).map(({ metadata }) => metadata.traceparent)
  return recorded.length < 2 ? recorded : new Map(recorded.map((one) => [traceIdOf(one), one])).values()
}

/**
 * Measures appends, and makes a span of each in every trace that its events belong to: a child of the span that the events
 * name. Everything else passes through.
 */
export class TracedEventStore implements EventStore {
  readonly #store: EventStore
  readonly #options: Options
  /** There where the store has it. */
  declare readonly appendTogether?: NonNullable<EventStore['appendTogether']>

  constructor(store: EventStore, options: Options) {
    this.#store = store
    this.#options = options
    const together = store.appendTogether?.bind(store)
    if (together !== undefined) this.appendTogether = (appends) => this.#measured(appends, () => together(appends))
  }

  id(): Promise<string> {
    return this.#store.id()
  }

  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended> {
    return this.#measured([{ stream, events }], () => this.#store.append(stream, expected, events))
  }

  async #measured<T>(
    appends: readonly Pick<StreamAppend, 'stream' | 'events'>[],
    append: () => Promise<T>,
  ): Promise<T> {
    const begun = { at: Date.now(), on: performance.now() }
    const note = (outcome: string, error?: string): void => {
      for (const { stream, events } of appends) this.#note(stream, events, begun, outcome, error)
    }
    try {
      const answer = await append()
      note('ok')
      return answer
    } catch (error) {
      // A conflict is an answer like any other: whoever appended decides again.
      if (error instanceof RevisionConflictError) note('conflict')
      else note('failed', codeOf(error))
      throw error
    }
  }

  #note(
    stream: string,
    events: readonly NewEvent[],
    begun: { at: number; on: number },
    outcome: string,
    error?: string,
  ): void {
    const { telemetry, system } = this.#options
    const ms = performance.now() - begun.on
    const category = categoryOf(stream)
    const attributes = { [names.dbCollection]: category, [names.outcome]: outcome }
    telemetry.record(metrics.appendDuration, ms / 1000, attributes)
    for (const traceparent of recordedTraces(events)) {
      telemetry.ended({
        name: `append ${category}`,
        kind: 'client',
        traceparent: inTraceOf(traceparent, newSpanId()),
        parentId: spanIdOf(traceparent),
        startedAt: begun.at,
        endedAt: begun.at + ms,
        attributes: { ...attributes, [names.dbSystem]: system, [names.dbOperation]: 'append' },
        error,
      })
    }
  }

  integrityProblem(): string | undefined {
    return this.#store.integrityProblem()
  }

  read(stream: string, options?: ReadOptions): Promise<StoredEvent[]> {
    return this.#store.read(stream, options)
  }

  readBackwards(stream: string): AsyncIterable<StoredEvent> {
    return this.#store.readBackwards(stream)
  }

  follow(options: FollowOptions): AsyncIterable<FeedBatch> {
    return this.#store.follow(options)
  }

  remove(stream: string): Promise<void> {
    return this.#store.remove(stream)
  }

  isRemoved(stream: string): Promise<boolean> {
    return this.#store.isRemoved(stream)
  }

  truncate(stream: string, before: number): Promise<void> {
    return this.#store.truncate(stream, before)
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#store[Symbol.asyncDispose]()
  }
}
