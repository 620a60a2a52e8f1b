import type { MetricData, MetricProducer, MetricReader, ResourceMetrics } from '@opentelemetry/sdk-metrics'
import { metrics } from './metrics.ts'
import { PrometheusSerializer, sdkMetrics } from './otel-packages.ts'
import { type Metric, prometheusName } from './prometheus-name.ts'

class ScrapedReader extends sdkMetrics.MetricReader {
  // Nothing waits here to be sent.
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
  /** For the SDK, which adds the resource. */
  readonly reader: MetricReader
  // All metrics have the same scope, so its labels would add nothing.
  readonly #serializer = new PrometheusSerializer(undefined, false, undefined, false, true)

  constructor(producer: MetricProducer) {
    this.reader = new ScrapedReader({ metricProducers: [producer] })
  }

  /** Leaves out a metric that cannot be read. */
  async text(): Promise<string> {
    const { resourceMetrics } = await this.reader.collect()
    return this.#serializer.serialize(withNames(resourceMetrics))
  }
}
