import type { Counter, Gauge, Histogram } from './metrics.ts'

/**
 * What is known of a span or a measured value, by the names of `names.ts`. Never content: no path or query of a URL, no
 * prompt, no key, no caption, no id of a video. An undefined value is left out.
 */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

export type Span = {
  /** Low in cardinality: `append job`, never with an id. */
  name: string
  kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer'
  attributes?: Attributes
  /** Traceparents of spans that this one follows without being their child. */
  links?: readonly string[]
}

/** A span that has ended, whose id and parent its caller knows. Instants are milliseconds since 1970. */
export type EndedSpan = Span & {
  /** Trace, id and sampled flag of the span itself. */
  traceparent: string
  /** Undefined for the root of a trace. */
  parentId: string | undefined
  startedAt: number
  endedAt: number
  /** The code of the failure that it ended with. */
  error?: string | undefined
}

/** One value of a gauge, or of a counter that something else counts. */
export type Observation = { value: number; attributes?: Attributes }

/**
 * Where spans and measured values go. Nothing depends on what becomes of them: no method throws or waits, and a backend
 * that is slow or away costs spans, never a job.
 */
export interface Telemetry {
  /** Whether anything becomes of it. Where nothing does, what is called often makes nothing to be thrown away. */
  readonly isExported: boolean

  /**
   * Whether a trace is recorded that begins here, or that somebody else began. All of its requests that come to this
   * process get one answer, which nobody can foresee: a caller who chooses the id of a trace chooses no more.
   */
  isSampled(traceId: string): boolean

  /** The span that is under way here; undefined outside of any. */
  readonly current: string | undefined

  /**
   * Does the work in a span that is a child of the one under way. Outside of any span there is none: what nobody waits
   * for is nobody's trace. Where the work throws, the span ends with the code of the error.
   */
  inSpan<T>(span: Span, work: (set: (attributes: Attributes) => void) => Promise<T>): Promise<T>

  /** Does the work within a span that is recorded by `ended` when it is over. */
  within<T>(traceparent: string, work: () => T): T

  ended(span: EndedSpan): void

  add(counter: Counter, value: number, attributes?: Attributes): void
  record(histogram: Histogram, value: number, attributes?: Attributes): void
  /**
   * Asks for the values of a gauge, or the sums of a counter that something else counts, whenever values are exported.
   * Once for each metric. Reading does nothing else: no I/O, and it does not throw.
   */
  observe(metric: Gauge | Counter, read: () => Iterable<Observation>): void
}

/** For a service that exports nothing: the work alone is done. */
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
