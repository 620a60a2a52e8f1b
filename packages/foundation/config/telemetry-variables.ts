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
    'an OpenTelemetry collector that takes traces and metrics, `http://host:4318`; unset, as the next three: nothing is exported',
  ),
  otlpTracesEndpoint: optionalUrl('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'likewise for traces alone'),
  otlpMetricsEndpoint: optionalUrl('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', 'likewise for metrics alone'),
  otlpLogsEndpoint: optionalUrl('OTEL_EXPORTER_OTLP_LOGS_ENDPOINT', 'likewise for logs alone'),
  otlpHeaders: secret(
    optional('OTEL_EXPORTER_OTLP_HEADERS', 'what the collector asks of who sends to it: `name=value`, with commas'),
  ),
  otlpTracesHeaders: secret(optional('OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'likewise for traces alone')),
  otlpMetricsHeaders: secret(optional('OTEL_EXPORTER_OTLP_METRICS_HEADERS', 'likewise for metrics alone')),
  otlpLogsHeaders: secret(optional('OTEL_EXPORTER_OTLP_LOGS_HEADERS', 'likewise for logs alone')),
  otlpProtocol: oneOf(
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    otlpProtocols,
    'http/protobuf',
    'how spans, values and log lines are sent to the collector',
  ),
  otlpMetricsProtocol: optionalOneOf(
    'OTEL_EXPORTER_OTLP_METRICS_PROTOCOL',
    otlpProtocols,
    'likewise for metrics alone',
  ),
  otelMetricsExporter: oneOf(
    'OTEL_METRICS_EXPORTER',
    ['otlp', 'none'],
    'otlp',
    'whether metrics are exported, where there is an endpoint',
  ),
  otelMetricExportInterval: number('OTEL_METRIC_EXPORT_INTERVAL', 60_000, 'milliseconds from one export to the next', {
    min: 1,
  }),
  otelMetricExportTimeout: number('OTEL_METRIC_EXPORT_TIMEOUT', 30_000, 'milliseconds that an export may take', {
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
    'whether log lines are exported too, besides standard error',
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
    'which traces are recorded, decided where a trace begins; no caller decides it',
  ),
  otelTracesSamplerArg: number('OTEL_TRACES_SAMPLER_ARG', 1, 'share of the traces that a ratio records', {
    max: 1,
    integer: false,
  }),
  otelDisabled: oneOf('OTEL_SDK_DISABLED', ['true', 'false'], 'false', 'exports nothing, whatever else is set'),

  metricsPort: optionalNumber(
    'METRICS_PORT',
    "TCP port of `/metrics`, all values of this process in Prometheus' text; 0 takes a free one; unset: there is none",
    { max: 65_535 },
  ),
  metricsHost: text('METRICS_HOST', '127.0.0.1', 'address at which it is served'),
  metricsToken: secret(
    optional(
      'METRICS_TOKEN',
      'what a scrape has to present: `Authorization: Bearer TOKEN`; unset: nothing, on loopback',
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
