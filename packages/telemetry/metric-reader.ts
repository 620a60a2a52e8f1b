import type { MetricProducer, MetricReader } from '@opentelemetry/sdk-metrics'
import { metricExporters, sdkMetrics } from './otel-packages.ts'

/** How values are exported. The SDK reads these OpenTelemetry variables only for readers that it makes itself. */
export type MetricExport = {
  /** OTEL_EXPORTER_OTLP_METRICS_PROTOCOL, or the protocol of all signals. */
  protocol: string
  intervalMs: number
  timeoutMs: number
}

/** Exports values at an interval. The exporter takes endpoint and headers from the OTEL_* variables. */
export function metricReader(
  producer: MetricProducer,
  { protocol, intervalMs, timeoutMs }: MetricExport,
): MetricReader {
  const exporters = metricExporters[protocol]
  if (exporters === undefined) throw new Error(`there is no OTLP protocol ${protocol}`)
  return new sdkMetrics.PeriodicExportingMetricReader({
    exporter: new exporters.OTLPMetricExporter(),
    metricProducers: [producer],
    exportIntervalMillis: intervalMs,
    // A longer export would overlap with the next one.
    exportTimeoutMillis: Math.min(timeoutMs, intervalMs),
  })
}
