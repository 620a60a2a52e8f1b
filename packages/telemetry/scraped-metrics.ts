import type { MetricData, MetricReader, ResourceMetrics } from '@opentelemetry/sdk-metrics'
import { MAX_GAUGE_SERIES, temporalityOf } from './instruments.ts'
import { metrics } from './metrics.ts'
import { PrometheusSerializer, sdkMetrics } from './otel-packages.ts'
import { type Metric, prometheusName } from './prometheus-name.ts'

/** The SDK's own limit, from one reading to the next. The values of further series of a metric are combined in one. */
const MAX_SERIES = 2000

class ScrapedReader extends sdkMetrics.MetricReader {
  constructor() {
    const { OBSERVABLE_GAUGE } = sdkMetrics.InstrumentType
    super({
      aggregationTemporalitySelector: temporalityOf,
      cardinalitySelector: (type) => (type === OBSERVABLE_GAUGE ? MAX_GAUGE_SERIES : MAX_SERIES),
    })
  }

  // Nothing is sent from here, so nothing waits.
  protected async onForceFlush(): Promise<void> {}
  protected async onShutdown(): Promise<void> {}
}

const namesInText = new Map(Object.values<Metric>(metrics).map((metric) => [metric.name, prometheusName(metric)]))

/** The serializer leaves out the units in names. These would be other series than those from a collector. */
const named = (data: MetricData): MetricData => ({
  ...data,
  descriptor: { ...data.descriptor, name: namesInText.get(data.descriptor.name) ?? data.descriptor.name, unit: '' },
})

const withNames = ({ resource, scopeMetrics }: ResourceMetrics): ResourceMetrics => ({
  resource,
  scopeMetrics: scopeMetrics.map(({ scope, metrics }) => ({ scope, metrics: metrics.map(named) })),
})

/** All values in Prometheus' text format, on request. */
export class ScrapedMetrics {
  /** The reader that the SDK connects to its values. */
  readonly reader: MetricReader = new ScrapedReader()
  // All metrics have the same scope, so its labels would add nothing.
  readonly #serializer = new PrometheusSerializer(undefined, false, undefined, false, true)

  /** The text of all metrics. Leaves out a metric that cannot be read. */
  async text(): Promise<string> {
    const { resourceMetrics } = await this.reader.collect()
    return this.#serializer.serialize(withNames(resourceMetrics))
  }
}
