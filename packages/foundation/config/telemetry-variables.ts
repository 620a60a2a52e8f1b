import { fileVariable } from './given-text.ts'
import {
  number,
  oneOf,
  optional,
  optionalNumber,
  optionalOneOf,
  optionalUrl,
  secret,
  text,
  type Values,
} from './variable.ts'

const otlpProtocols = ['http/protobuf', 'http/json', 'grpc']

/** The variables for a process's telemetry: what it exports, and what it shows. */
export const telemetryVariables = {
  otlpEndpoint: optionalUrl(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OpenTelemetry collector for traces and metrics, such as `http://host:4318`; unset, like the next three: nothing is exported',
  ),
  otlpTracesEndpoint: optionalUrl('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'collector for traces only'),
  otlpMetricsEndpoint: optionalUrl('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', 'collector for metrics only'),
  otlpLogsEndpoint: optionalUrl('OTEL_EXPORTER_OTLP_LOGS_ENDPOINT', 'collector for logs only'),
  otlpHeaders: secret(
    optional('OTEL_EXPORTER_OTLP_HEADERS', 'headers that the collector requires: `name=value`, separated by commas'),
  ),
  otlpTracesHeaders: secret(optional('OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'headers for traces only')),
  otlpMetricsHeaders: secret(optional('OTEL_EXPORTER_OTLP_METRICS_HEADERS', 'headers for metrics only')),
  otlpLogsHeaders: secret(optional('OTEL_EXPORTER_OTLP_LOGS_HEADERS', 'headers for logs only')),
  otlpProtocol: oneOf(
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    otlpProtocols,
    'http/protobuf',
    'protocol for traces, metrics and logs',
  ),
  otlpMetricsProtocol: optionalOneOf('OTEL_EXPORTER_OTLP_METRICS_PROTOCOL', otlpProtocols, 'protocol for metrics only'),
  otelMetricsExporter: oneOf(
    'OTEL_METRICS_EXPORTER',
    ['otlp', 'none'],
    'otlp',
    'whether to export metrics, if there is an endpoint',
  ),
  otelMetricExportInterval: number('OTEL_METRIC_EXPORT_INTERVAL', 60_000, 'milliseconds from one export to the next', {
    min: 1,
  }),
  otelMetricExportTimeout: number('OTEL_METRIC_EXPORT_TIMEOUT', 30_000, 'longest time for an export, milliseconds', {
    min: 1,
  }),
  busiestOrganizations: oneOf(
    'METRICS_BUSIEST_ORGANIZATIONS',
    ['off', 'on'],
    'off',
    'whether a metric names the ten organizations with the most jobs',
  ),
  otelLogsExporter: oneOf(
    'OTEL_LOGS_EXPORTER',
    ['none', 'otlp'],
    'none',
    'whether to export log lines, in addition to standard error',
  ),
  otelTracesSampler: oneOf(
    'OTEL_TRACES_SAMPLER',
    [
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ],
    'parentbased_always_on',
    'which traces to record; decided at the beginning of a trace, never by the caller',
  ),
  otelTracesSamplerArg: number('OTEL_TRACES_SAMPLER_ARG', 1, 'fraction of traces that a sampler by ratio records', {
    max: 1,
    integer: false,
  }),
  otelDisabled: oneOf(
    'OTEL_SDK_DISABLED',
    ['true', 'false'],
    'false',
    'whether to export nothing, whatever else is set',
  ),

  metricsPort: optionalNumber(
    'METRICS_PORT',
    "TCP port for `/metrics`, the metrics of this process in Prometheus' text format; 0: any free port; unset: none",
    { max: 65_535 },
  ),
  metricsHost: text('METRICS_HOST', '127.0.0.1', 'address on which to serve `/metrics`'),
  metricsToken: secret(
    optional(
      'METRICS_TOKEN',
      'token that a scrape must send: `Authorization: Bearer TOKEN`; unset: none is required, on loopback',
    ),
  ),
} as const

/** The exporters read these directly from the environment. */
const readByTheSdk = ['otlpHeaders', 'otlpTracesHeaders', 'otlpMetricsHeaders', 'otlpLogsHeaders'] as const

/** Copies headers from files into the environment of this process, because the exporters read only the environment. */
export function showHeadersToTheSdk(
  config: Pick<Values<typeof telemetryVariables>, (typeof readByTheSdk)[number]>,
  environment: NodeJS.ProcessEnv = process.env,
): void {
  for (const name of readByTheSdk) {
    const [text, { variable }] = [config[name], telemetryVariables[name]]
    if (text === undefined) continue
    delete environment[fileVariable(variable)]
    environment[variable] = text
  }
}
