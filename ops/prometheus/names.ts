import type { Counter, Gauge, Histogram } from '#packages/telemetry/metrics.ts'

export type Metric = Counter | Gauge | Histogram

/** What the translation from OTLP writes for a unit at the end of a name. A unit in braces is left out. */
const unitWords: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes' }

function unitOf({ kind, unit }: Metric): string | undefined {
  if (unit.startsWith('{')) return undefined
  if (unit === '1') return kind === 'gauge' ? 'ratio' : undefined
  const word = unitWords[unit]
  if (word === undefined) throw new Error(`the unit ${unit} has no word in Prometheus yet`)
  return word
}

/**
 * The name of a metric in Prometheus after OTLP and a collector. Node's own exporter for Prometheus gives others. A
 * histogram's series have `_bucket`, `_count` and `_sum` behind it.
 * @throws Error for a unit that no metric had yet
 */
export function prometheusName(metric: Metric): string {
  const words = metric.name.split(/[^A-Za-z0-9]+/)
  const unit = unitOf(metric)
  if (unit !== undefined && !words.includes(unit)) words.push(unit)
  if (metric.kind === 'counter') words.push('total')
  return words.join('_')
}

/** The names of all series that a metric has in Prometheus. */
export function seriesNames(metric: Metric): string[] {
  const name = prometheusName(metric)
  return metric.kind === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name]
}

/** The name of an attribute as a label in Prometheus. */
export const prometheusLabel = (attribute: string): string => attribute.replaceAll(/[^A-Za-z0-9_]/g, '_')
