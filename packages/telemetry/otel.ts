/**
 * Telemetry by OpenTelemetry's SDK. Loading it takes a third of a second, so only processes that export something load
 * it.
 */
import type {
  Attributes as ApiAttributes,
  Span as ApiSpan,
  Context,
  Link,
  SpanContext,
  SpanKind as SpanKindNumber,
  Tracer,
} from '@opentelemetry/api'
import type { MetricReader } from '@opentelemetry/sdk-metrics'
import type { IdGenerator } from '@opentelemetry/sdk-trace'
import { codeOf } from './code-of.ts'
import { logComplaints } from './complaints.ts'
import { exportLines } from './exported-lines.ts'
import { Instruments, MAX_GAUGE_SERIES, temporalityOf } from './instruments.ts'
import { copyLines, type Logger } from './log.ts'
import { type Counter, type Gauge, type Histogram, metrics as table } from './metrics.ts'
import { NAME, names, SCHEMA_URL } from './names.ts'
import { api, conventions, metricExporters, resources, sdkMetrics, sdkNode, sdkTrace } from './otel-packages.ts'
import { createSampling, type SamplingOptions } from './sampling.ts'
import { ScrapedMetrics } from './scraped-metrics.ts'
import type { Attributes, EndedSpan, Observation, Span, Telemetry } from './telemetry.ts'
import { isSampled, spanIdOf, toTraceparent, traceIdOf } from './traceparent.ts'

/** Ids of spans: random, unless the id is known before the span is recorded. */
class GivenIds implements IdGenerator {
  readonly #random = new sdkTrace.RandomIdGenerator()
  #given: { traceId: string; spanId: string } | undefined

  /** Starts a span with these ids. */
  whileGiven<T>(ids: { traceId: string; spanId: string }, start: () => T): T {
    this.#given = ids
    try {
      return start()
    } finally {
      this.#given = undefined
    }
  }

  generateTraceId(): string {
    return this.#given?.traceId ?? this.#random.generateTraceId()
  }

  generateSpanId(): string {
    return this.#given?.spanId ?? this.#random.generateSpanId()
  }
}

const { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } = api
const { AlwaysOnSampler, ParentBasedSampler } = sdkTrace
const { ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } = conventions
const { defaultResource, envDetector, resourceFromAttributes, serviceInstanceIdDetector } = resources

export type OtelOptions = SamplingOptions & {
  /** The name of the process: `ingress`, `all-in-one`. OTEL_SERVICE_NAME overrides it. */
  service: string
  version: string
  /** Signals that have an endpoint. */
  exporters: { traces: boolean; metrics: boolean; logs: boolean }
  metricExport: MetricExport
  /** Whether values can also be scraped. */
  isScraped: boolean
  /** Receives export failures. If log lines are exported, these are its lines. */
  log: Logger
  /** Called if closing takes too long, or has failed. Work under way continues for some seconds. */
  gaveUp(): void
}

/** The exporting telemetry. `scrape`: all values in Prometheus' text format, if they can be scraped. */
export type Exporting = Telemetry & AsyncDisposable & { scrape: (() => Promise<string>) | undefined }

/** How long to wait for spans and values at the end, milliseconds. */
const SHUTDOWN_WITHIN_MS = 2000

const kinds: Record<NonNullable<Span['kind']>, SpanKindNumber> = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
}

const spanContextOf = (traceparent: string): SpanContext => ({
  traceId: traceIdOf(traceparent),
  spanId: spanIdOf(traceparent),
  traceFlags: isSampled(traceparent) ? TraceFlags.SAMPLED : TraceFlags.NONE,
})

const contextOf = (traceparent: string): Context => trace.setSpanContext(ROOT_CONTEXT, spanContextOf(traceparent))

const linksOf = (traceparents: readonly string[] = []): Link[] =>
  traceparents.map((traceparent) => ({ context: spanContextOf(traceparent) }))

const fail = (span: ApiSpan, code: string): void => {
  span.setAttributes({ [names.errorType]: code, [names.isFailed]: true })
  span.setStatus({ code: SpanStatusCode.ERROR, message: code })
}

class Otel implements Telemetry {
  readonly isExported = true
  readonly isSampled: (traceId: string) => boolean
  readonly #ids: GivenIds
  readonly #tracer: Tracer
  readonly #instruments: Instruments

  constructor(isSampled: (traceId: string) => boolean, ids: GivenIds) {
    this.isSampled = isSampled
    this.#ids = ids
    this.#instruments = new Instruments(api.metrics.getMeter(NAME))
    this.#tracer = trace.getTracer(NAME)
  }

  get current(): string | undefined {
    const span = trace.getSpanContext(context.active())
    return span && toTraceparent(span.traceId, span.spanId, (span.traceFlags & TraceFlags.SAMPLED) !== 0)
  }

  async inSpan<T>(span: Span, work: (set: (attributes: Attributes) => void) => Promise<T>): Promise<T> {
    const parent = context.active()
    if (trace.getSpanContext(parent) === undefined) return work(() => {})
    const { name, kind = 'internal', attributes = {}, links } = span
    const started = this.#tracer.startSpan(
      name,
      { kind: kinds[kind], attributes: attributes as ApiAttributes, links: linksOf(links) },
      parent,
    )
    try {
      const set = (more: Attributes) => void started.setAttributes(more as ApiAttributes)
      return await context.with(trace.setSpan(parent, started), work, undefined, set)
    } catch (error) {
      const code = codeOf(error)
      fail(started, code)
      throw error
    } finally {
      started.end()
    }
  }

  within<T>(traceparent: string, work: () => T): T {
    // If a trace is not recorded, no span below is. Skips the context, which costs each turn of the work.
    if (!isSampled(traceparent))
      return trace.getSpanContext(context.active()) === undefined ? work() : context.with(ROOT_CONTEXT, work)
    return context.with(contextOf(traceparent), work)
  }

  ended({
    name,
    kind = 'internal',
    attributes = {},
    links,
    traceparent,
    parentId,
    startedAt,
    endedAt,
    error,
  }: EndedSpan) {
    if (!isSampled(traceparent)) return
    const own = spanContextOf(traceparent)
    const parent = parentId === undefined ? undefined : { ...own, spanId: parentId }
    const options = {
      kind: kinds[kind],
      attributes: attributes as ApiAttributes,
      links: linksOf(links),
      startTime: startedAt,
    }
    const at = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
    const span = this.#ids.whileGiven(own, () => this.#tracer.startSpan(name, options, at))
    if (error !== undefined) fail(span, error)
    span.end(Math.max(startedAt, endedAt))
  }

  add(counter: Counter, value: number, attributes?: Attributes): void {
    this.#instruments.add(counter, value, attributes)
  }

  record(histogram: Histogram, value: number, attributes?: Attributes): void {
    this.#instruments.record(histogram, value, attributes)
  }

  observe(metric: Gauge | Counter, read: () => Iterable<Observation>): void {
    this.#instruments.observe(metric, read)
  }
}

/**
 * Starts exporting. The SDK takes endpoints, headers and the exporters of spans and log lines from the OTEL_*
 * variables. Disposing sends what waits, for two seconds at most.
 */
export function startOtel(options: OtelOptions): Exporting {
  const { traces, metrics, logs } = options.exporters
  const idGenerator = new GivenIds()
  const scraped = options.isScraped ? new ScrapedMetrics() : undefined
  logComplaints(options.log)
  const sdk = new sdkNode.NodeSDK({
    // The beginning of a trace decides whether it is recorded, in every process.
    sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    idGenerator,
    // The SDK's own resource names the SDK (`telemetry.sdk.*`).
    resource: defaultResource().merge(
      resourceFromAttributes(
        {
          'service.namespace': NAME,
          [ATTR_SERVICE_NAME]: options.service,
          [ATTR_SERVICE_VERSION]: options.version,
        },
        { schemaUrl: SCHEMA_URL },
      ),
    ),
    // Other detectors would reveal command lines and paths.
    resourceDetectors: [serviceInstanceIdDetector, envDetector],
    instrumentations: [],
    // A signal without an endpoint would go to one on this machine.
    ...(traces ? {} : { spanProcessors: [] }),
    metricReaders: [...(metrics ? [metricReader(options.metricExport)] : []), ...(scraped ? [scraped.reader] : [])],
    ...(logs ? {} : { logRecordProcessors: [] }),
  })
  // With OTEL_LOG_LEVEL set, the SDK has begun to write on the console.
  logComplaints(options.log)
  sdk.start()
  if (logs) copyLines(options.log, exportLines())
  const otel = new Otel(createSampling(options), idGenerator)
  // Starts every counter at 0, which shows that nothing has happened; a missing counter does not. Processor time is
  // observed instead, because the system counts it.
  for (const metric of Object.values(table)) if (metric.kind === 'counter' && metric !== table.cpu) otel.add(metric, 0)
  return Object.assign(otel, {
    scrape: scraped && (() => scraped.text()),
    async [Symbol.asyncDispose]() {
      const { promise: late, resolve } = Promise.withResolvers<boolean>()
      const timer = setTimeout(resolve, SHUTDOWN_WITHIN_MS, false)
      const ended = sdk.shutdown().then(
        () => true,
        // A failure means that an endpoint is away. Only the unsent data is lost.
        () => false,
      )
      if (!(await Promise.race([ended, late]))) options.gaveUp()
      clearTimeout(timer)
    },
  })
}

/** How values are exported. The SDK reads these OpenTelemetry variables only for readers that it makes itself. */
type MetricExport = {
  /** OTEL_EXPORTER_OTLP_METRICS_PROTOCOL, or the protocol of all signals. */
  protocol: string
  intervalMs: number
  timeoutMs: number
}

/** Exports values at an interval. The exporter takes endpoint and headers from the OTEL_* variables. */
function metricReader({ protocol, intervalMs, timeoutMs }: MetricExport): MetricReader {
  const exporters = metricExporters[protocol]
  if (exporters === undefined) throw new Error(`there is no OTLP protocol ${protocol}`)
  return new sdkMetrics.PeriodicExportingMetricReader({
    exporter: Object.assign(new exporters.OTLPMetricExporter(), { selectAggregationTemporality: temporalityOf }),
    cardinalityLimits: { observableGauge: MAX_GAUGE_SERIES },
    exportIntervalMillis: intervalMs,
    // A longer export would overlap with the next one.
    exportTimeoutMillis: Math.min(timeoutMs, intervalMs),
  })
}
