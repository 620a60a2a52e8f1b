import type { MetricData, MetricReader, ResourceMetrics } from '@opentelemetry/sdk-metrics'
import { MAX_GAUGE_SERIES, temporalityOf } from './instruments.ts'
import { metrics } from './metrics.ts'
import { PrometheusSerializer, sdkMetrics } from './otel-packages.ts'
import { type Metric, prometheusName } from './prometheus-name.ts'

/** The SDK's own limit, from one reading to the next. The values of further series of a metric come together in one. */
const MAX_SERIES = 2000

class ScrapedReader extends sdkMetrics.MetricReader {
  constructor() {
    const { OBSERVABLE_GAUGE } = sdkMetrics.InstrumentType
    super({
      aggregationTemporalitySelector: temporalityOf,
      cardinalitySelector: (type) => (type === OBSERVABLE_GAUGE ? MAX_GAUGE_SERIES : MAX_SERIES),
    })
  }

  // Nothing waits here to be sent.
  protected async onForceFlush(): Promise<void> {}
  protected async onShutdown(): Promise<void> {}
}

const namesInText = new Map(Object.values<Metric>(metrics).map((metric) => [metric.name, prometheusName(metric)]))

/** The serializer writes names without their units, which would be other series than those that come by a collector. */
const named = (data: MetricData): MetricData => ({
  ...data,
  descriptor: { ...data.descriptor, name: namesInText.get(data.descriptor.name) ?? data.descriptor.name, unit: '' },
})

const withNames = ({ resource, scopeMetrics }: ResourceMetrics): ResourceMetrics => ({
  resource,
  scopeMetrics: scopeMetrics.map(({ scope, metrics }) => ({ scope, metrics: metrics.map(named) })),
})

/** All values in Prometheus' text, whenever they are asked for. */
export class ScrapedMetrics {
  /** For the SDK, which binds it to its values. */
  readonly reader: MetricReader = new ScrapedReader()
  // One scope has everything: its labels would tell nothing.
  readonly #serializer = new PrometheusSerializer(undefined, false, undefined, false, true)

  /** A metric that cannot be read is left out. */
  async text(): Promise<string> {
    const { resourceMetrics } = await this.reader.collect()
    return this.#serializer.serialize(withNames(resourceMetrics))
  }
}
