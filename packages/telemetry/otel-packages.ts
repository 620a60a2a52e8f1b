/**
 * The packages of OpenTelemetry, loaded as CommonJS. As ES modules, each of their five hundred files would pass through
 * the hooks of the TypeScript loader, which takes twice the time and more memory.
 */
import { createRequire } from 'node:module'
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics'

const load = createRequire(import.meta.url)

export const api = load('@opentelemetry/api') as typeof import('@opentelemetry/api')
export const sdkNode = load('@opentelemetry/sdk-node') as typeof import('@opentelemetry/sdk-node')
export const sdkMetrics = load('@opentelemetry/sdk-metrics') as typeof import('@opentelemetry/sdk-metrics')
export const sdkTrace = load('@opentelemetry/sdk-trace') as typeof import('@opentelemetry/sdk-trace')
export const conventions = load(
  '@opentelemetry/semantic-conventions',
) as typeof import('@opentelemetry/semantic-conventions')
export const resources = load('@opentelemetry/resources') as typeof import('@opentelemetry/resources')

export const { PrometheusSerializer } = load(
  '@opentelemetry/exporter-prometheus',
) as typeof import('@opentelemetry/exporter-prometheus')

type MetricExporters = Readonly<Record<string, { OTLPMetricExporter: new () => PushMetricExporter }>>

/** By protocol, as OTEL_EXPORTER_OTLP_PROTOCOL names it. */
export const metricExporters: MetricExporters = {
  'http/protobuf': load('@opentelemetry/exporter-metrics-otlp-proto'),
  'http/json': load('@opentelemetry/exporter-metrics-otlp-http'),
  grpc: load('@opentelemetry/exporter-metrics-otlp-grpc'),
}
