import type { Counter, Gauge, Histogram } from './metrics.ts'

/**
 * Facts about a span or a measured value, by the names of `names.ts`. Never content: no path or query of a URL, no
 * prompt, no key, no caption, no video id. An undefined value is left out.
 */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

export type Span = {
  /** The name of the operation, of low cardinality: `append job`, never with an id. */
  name: string
  kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer'
  attributes?: Attributes
  /** Traceparents of spans that this one follows without being their child. */
  links?: readonly string[]
}

/** A span that has ended, with an id and a parent that its caller knows. Instants are milliseconds since 1970. */
export type EndedSpan = Span & {
  /** Trace, id and sampled flag of the span itself. */
  traceparent: string
  /** Undefined for the root of a trace. */
  parentId: string | undefined
  startedAt: number
  endedAt: number
  /** The failure code with which it ended. */
  error?: string | undefined
}

/** One value of a gauge, or of a counter that other code counts. */
export type Observation = { value: number; attributes?: Attributes }

/**
 * Receives spans and measured values. Nothing depends on them: no method throws or waits. A backend that is slow or
 * away costs spans, never a job.
 */
export interface Telemetry {
  /** Whether anything is exported. If not, code that runs often creates no data for it. */
  readonly isExported: boolean

  /**
   * Whether to record a trace, no matter where it began. All of its requests that reach this process get one answer.
   * The answer cannot be predicted, so a caller cannot influence it by choosing the trace id.
   */
  isSampled(traceId: string): boolean

  /** The current span; undefined outside any span. */
  readonly current: string | undefined

  /**
   * Does the work in a child span of the current one. Outside any span it creates none: work that no caller waits for
   * belongs to no trace. If the work throws, the span ends with the code of the error.
   */
  inSpan<T>(span: Span, work: (set: (attributes: Attributes) => void) => Promise<T>): Promise<T>

  /** Does the work within a span that `ended` records when it is over. */
  within<T>(traceparent: string, work: () => T): T

  ended(span: EndedSpan): void

  add(counter: Counter, value: number, attributes?: Attributes): void
  record(histogram: Histogram, value: number, attributes?: Attributes): void
  /**
   * Registers a function that returns the values of a gauge, or the sums of a counter that other code counts. It is
   * called whenever values are exported. Register each metric once. The function must do no I/O and must not throw.
   */
  observe(metric: Gauge | Counter, read: () => Iterable<Observation>): void
}

/** Telemetry that exports nothing: it only does the work. */
export const noTelemetry: Telemetry = {
  isExported: false,
  isSampled: () => true,
  current: undefined,
  inSpan: (_span, work) => work(() => {}),
  within: (_traceparent, work) => work(),
  ended: () => {},
  add: () => {},
  record: () => {},
  observe: () => {},
}
