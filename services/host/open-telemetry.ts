import type { Config } from '#packages/foundation/config/config.ts'
import { showHeadersToTheSdk } from '#packages/foundation/config/telemetry-variables.ts'
import type { Exporting, OtelOptions } from '#packages/telemetry/otel.ts'
import { noTelemetry, type Telemetry } from '#packages/telemetry/telemetry.ts'
import manifest from '../../package.json' with { type: 'json' }

export type OwnTelemetry = Exporting

/** For processes that never export, whatever the variables say. */
export const unexported: OwnTelemetry = { ...noTelemetry, scrape: undefined, async [Symbol.asyncDispose]() {} }

/** Wraps a part in measurements if anything is exported. Otherwise returns the part itself, at no cost. */
export const measured = <T>(telemetry: OwnTelemetry, part: T, trace: (part: T, telemetry: Telemetry) => T): T =>
  telemetry.isExported ? trace(part, telemetry) : part

type Options = Pick<OtelOptions, 'service' | 'log' | 'gaveUp'>

/** Opens the exports that the variables name. Without an endpoint or a `/metrics` port, no export code is loaded. */
export async function openTelemetry(config: Config, options: Options): Promise<OwnTelemetry> {
  const { otlpEndpoint, otlpTracesEndpoint, otlpMetricsEndpoint, otlpLogsEndpoint } = config
  const exporters = {
    traces: (otlpTracesEndpoint ?? otlpEndpoint) !== undefined,
    metrics: (otlpMetricsEndpoint ?? otlpEndpoint) !== undefined && config.otelMetricsExporter === 'otlp',
    logs: (otlpLogsEndpoint ?? otlpEndpoint) !== undefined && config.otelLogsExporter === 'otlp',
  }
  const isScraped = config.metricsPort !== undefined
  const exportsSomething = exporters.traces || exporters.metrics || exporters.logs || isScraped
  if (config.otelDisabled === 'true' || !exportsSomething) return unexported
  showHeadersToTheSdk(config)
  const { startOtel } = await import('#packages/telemetry/otel.ts')
  const { otelTracesSampler: sampler, otelTracesSamplerArg: samplerRatio } = config
  const metricExport = {
    protocol: config.otlpMetricsProtocol ?? config.otlpProtocol,
    intervalMs: config.otelMetricExportInterval,
    timeoutMs: config.otelMetricExportTimeout,
  }
  return startOtel({ ...options, version: manifest.version, exporters, metricExport, isScraped, sampler, samplerRatio })
}
