import { type Metric, prometheusName } from '#packages/telemetry/prometheus-name.ts'

/** The names of all series of a metric in Prometheus. */
export function seriesNames(metric: Metric): string[] {
  const name = prometheusName(metric)
  return metric.kind === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name]
}

/** The Prometheus label of an attribute. */
export const prometheusLabel = (attribute: string): string => attribute.replaceAll(/[^A-Za-z0-9_]/g, '_')
