import type { MetricReader } from '@opentelemetry/sdk-metrics'
import { MAX_GAUGE_SERIES, temporalityOf } from './instruments.ts'
import { metricExporters, sdkMetrics } from './otel-packages.ts'

/** How values are exported: the variables of OpenTelemetry that the SDK reads only for readers that it makes itself. */
export type MetricExport = {
  /** OTEL_EXPORTER_OTLP_METRICS_PROTOCOL, or the protocol of all signals. */
  protocol: string
  intervalMs: number
  timeoutMs: number
}

/** Exports values at an interval. Endpoint and headers are those of the OTEL_* variables, which the exporter reads. */
export function metricReader({ protocol, intervalMs, timeoutMs }: MetricExport): MetricReader {
  const exporters = metricExporters[protocol]
  if (exporters === undefined) throw new Error(`there is no OTLP protocol ${protocol}`)
  return new sdkMetrics.PeriodicExportingMetricReader({
    exporter: Object.assign(new exporters.OTLPMetricExporter(), { selectAggregationTemporality: temporalityOf }),
    cardinalityLimits: { observableGauge: MAX_GAUGE_SERIES },
    exportIntervalMillis: intervalMs,
    // An export that takes longer would meet the next one.
    exportTimeoutMillis: Math.min(timeoutMs, intervalMs),
  })
}
