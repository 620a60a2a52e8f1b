import { decorated } from '#packages/ports/decorated.ts'
import {
  type EventStore,
  type NewEvent,
  RevisionConflictError,
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

/** The category of a stream: `job`, `credits`, `key` or `organization`. */
const categoryOf = (stream: string): string => stream.slice(0, stream.indexOf('-'))

/** Extended leases create no span: a long step has hundreds. */
function isRecorded({ type, metadata }: NewEvent): boolean {
  // A refused event may have any shape.
  const traceparent: unknown = metadata?.traceparent
  return type !== 'LeaseExtended' && typeof traceparent === 'string' && isSampled(traceparent)
}

/** One traceparent for each recorded trace of the events. */
function recordedTraces(events: readonly NewEvent[]): Iterable<string> {
  const recorded = events.filter(isRecorded).map(({ metadata }) => metadata.traceparent)
  return recorded.length < 2 ? recorded : new Map(recorded.map((one) => [traceIdOf(one), one])).values()
}

/**
 * Measures appends. Records each append as a span in every trace of its events, as a child of the span that the events
 * name.
 */
export function tracedEventStore(store: EventStore, { telemetry, system }: Options): EventStore {
  const together = store.appendTogether?.bind(store)
  return decorated(store, {
    append: (stream, expected, events) => measured([{ stream, events }], () => store.append(stream, expected, events)),
    ...(together && { appendTogether: (appends) => measured(appends, () => together(appends)) }),
  })

  async function measured<T>(
    appends: readonly Pick<StreamAppend, 'stream' | 'events'>[],
    append: () => Promise<T>,
  ): Promise<T> {
    const begun = { at: Date.now(), on: performance.now() }
    const noteAll = (outcome: string, error?: string): void => {
      for (const { stream, events } of appends) note(stream, events, begun, outcome, error)
    }
    try {
      const answer = await append()
      noteAll('ok')
      return answer
    } catch (error) {
      // A conflict is an answer like any other: the sender decides again.
      if (error instanceof RevisionConflictError) noteAll('conflict')
      else noteAll('failed', codeOf(error))
      throw error
    }
  }

  function note(
    stream: string,
    events: readonly NewEvent[],
    begun: { at: number; on: number },
    outcome: string,
    error?: string,
  ): void {
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
}
