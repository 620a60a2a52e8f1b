import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { onLoopback } from '#test/doubles/loopback-server.ts'

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean }
type Attribute = { key: string; value: Value }

export type ReceivedAttributes = Record<string, string | number | boolean>

export type ReceivedSpan = {
  traceId: string
  spanId: string
  /** Empty for a root span. */
  parentId: string
  name: string
  /** The kind by OTLP's numbers: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number
  attributes: ReceivedAttributes
  /** Ids of the linked spans. */
  links: { traceId: string; spanId: string }[]
  isError: boolean
  /** Milliseconds since 1970. */
  startedAt: number
  endedAt: number
  /** `service.name` of the process that sent it. */
  service: string
}

export type ReceivedMetric = {
  name: string
  unit: string
  /** The newest values of each of its series. */
  series: ReceivedAttributes[]
}

export type ReceivedLog = { body: string; attributes: ReceivedAttributes; traceId: string; service: string }

const plainValue = ({ stringValue, intValue, doubleValue, boolValue }: Value): string | number | boolean =>
  stringValue ?? boolValue ?? doubleValue ?? Number(intValue)

export const attributesOf = (attributes: readonly Attribute[] = []): ReceivedAttributes =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]))

export type Exported = Resource & { scopeMetrics: { metrics: MetricJson[] }[] }

type Resource = { resource?: { attributes?: Attribute[] } }
type SpanJson = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes?: Attribute[]
  links?: { traceId: string; spanId: string }[]
  status?: { code?: number }
  startTimeUnixNano: string
  endTimeUnixNano: string
}
/** A number, or a histogram: the counts of its buckets, and the upper bounds of all buckets but the last. */
export type Point = {
  attributes?: Attribute[]
  asInt?: number | string
  asDouble?: number
  count?: number | string
  sum?: number
  bucketCounts?: (number | string)[]
  explicitBounds?: number[]
}
type Points = { dataPoints?: Point[] }
export type MetricJson = { name: string; unit?: string; sum?: Points; gauge?: Points; histogram?: Points }
type LogJson = { body?: Value; attributes?: Attribute[]; traceId?: string }

type Payload = {
  resourceSpans?: (Resource & { scopeSpans: { spans: SpanJson[] }[] })[]
  resourceMetrics?: Exported[]
  resourceLogs?: (Resource & { scopeLogs: { logRecords: LogJson[] }[] })[]
}

const serviceOf = ({ resource }: Resource): string => String(attributesOf(resource?.attributes)['service.name'])

const spanOf = (service: string, span: SpanJson): ReceivedSpan => ({
  traceId: span.traceId,
  spanId: span.spanId,
  parentId: span.parentSpanId ?? '',
  name: span.name,
  kind: span.kind,
  attributes: attributesOf(span.attributes),
  links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
  isError: span.status?.code === 2,
  startedAt: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
  endedAt: Number(BigInt(span.endTimeUnixNano) / 1_000_000n),
  service,
})

/** Receives traces, metrics and logs over OTLP/HTTP, in the test's own process. */
export class OtlpReceiver implements AsyncDisposable {
  readonly spans: ReceivedSpan[] = []
  readonly logs: ReceivedLog[] = []
  /** Everything that was received, unchanged. */
  received = ''
  /** How many exports of metrics were received. */
  exports = 0
  /** Called with every export of metrics. */
  onMetrics: (exported: readonly Exported[]) => void = () => {}
  readonly #metrics = new Map<string, { unit: string; series: Map<string, ReceivedAttributes> }>()
  readonly #server = createServer(async (request, response) => {
    const body = await text(request)
    this.received += body
    this.#take(JSON.parse(body) as Payload)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })

  #listening: Awaited<ReturnType<typeof onLoopback>> | undefined

  static async start(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver()
    receiver.#listening = await onLoopback(receiver.#server)
    return receiver
  }

  /** The variables that make a service send everything here soon. */
  get env(): Record<string, string> {
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${this.#listening?.port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_LOGS_EXPORTER: 'otlp',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_BLRP_SCHEDULE_DELAY: '100',
      OTEL_METRIC_EXPORT_INTERVAL: '1000',
      OTEL_METRIC_EXPORT_TIMEOUT: '1000',
    }
  }

  get metrics(): ReceivedMetric[] {
    return [...this.#metrics].map(([name, { unit, series }]) => ({ name, unit, series: [...series.values()] }))
  }

  /** The newest values of each series of a metric. */
  seriesOf({ name }: { name: string }): ReceivedAttributes[] {
    return [...(this.#metrics.get(name)?.series.values() ?? [])]
  }

  #take({ resourceSpans = [], resourceMetrics = [], resourceLogs = [] }: Payload): void {
    for (const each of resourceSpans)
      for (const { spans } of each.scopeSpans) for (const span of spans) this.spans.push(spanOf(serviceOf(each), span))
    if (resourceMetrics.length > 0) {
      this.exports += 1
      this.onMetrics(resourceMetrics)
    }
    for (const { scopeMetrics } of resourceMetrics)
      for (const { metrics } of scopeMetrics) for (const metric of metrics) this.#takeMetric(metric)
    for (const each of resourceLogs)
      for (const { logRecords } of each.scopeLogs)
        for (const { body, attributes, traceId = '' } of logRecords)
          this.logs.push({
            body: String(plainValue(body ?? {})),
            attributes: attributesOf(attributes),
            traceId,
            service: serviceOf(each),
          })
  }

  #takeMetric({ name, unit = '', sum, gauge, histogram }: MetricJson): void {
    const known = this.#metrics.get(name) ?? { unit, series: new Map() }
    this.#metrics.set(name, known)
    for (const { attributes } of (sum ?? gauge ?? histogram)?.dataPoints ?? []) {
      const labels = attributesOf(attributes)
      known.series.set(JSON.stringify(labels), labels)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listening?.[Symbol.asyncDispose]()
  }
}
