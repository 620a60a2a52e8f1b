import { metrics } from '#packages/telemetry/metrics.ts'
import { type Metric, prometheusName } from '#packages/telemetry/prometheus-name.ts'
import { prometheusLabel } from './names.ts'

const code = (text: string): string => `\`${text}\``

/** The row of a metric in ops/telemetry.md. */
const rowOf = (metric: Metric): string =>
  `| ${[
    code(metric.name),
    code(prometheusName(metric)),
    metric.unit,
    metric.kind,
    metric.attributes.map((attribute) => code(prometheusLabel(attribute))).join(', ') || '–',
    metric.meaning,
  ].join(' | ')} |`

/** The rows of the table of metrics in ops/telemetry.md. */
export const metricRows = (): string[] => Object.values<Metric>(metrics).map(rowOf)
