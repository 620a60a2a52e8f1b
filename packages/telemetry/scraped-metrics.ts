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
  /** For the SDK, which adds the resource. */
  readonly reader: MetricReader
  // One scope has everything: its labels would tell nothing.
  readonly #serializer = new PrometheusSerializer(undefined, false, undefined, false, true)

  constructor(producer: MetricProducer) {
    this.reader = new ScrapedReader({ metricProducers: [producer] })
  }

  /** A metric that cannot be read is left out. */
  async text(): Promise<string> {
    const { resourceMetrics } = await this.reader.collect()
    return this.#serializer.serialize(withNames(resourceMetrics))
  }
}
