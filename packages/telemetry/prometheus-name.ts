import type { Counter, Gauge, Histogram } from './metrics.ts'

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
 * The name of a metric in Prometheus, after OTLP and a collector as in `/metrics`: every query reads both. A histogram's
 * series have `_bucket`, `_count` and `_sum` behind it.
 * @throws Error for a unit that no metric had yet
 */
export function prometheusName(metric: Metric): string {
  const words = metric.name.split(/[^A-Za-z0-9]+/)
  const unit = unitOf(metric)
  if (unit !== undefined && !words.includes(unit)) words.push(unit)
  if (metric.kind === 'counter') words.push('total')
  return words.join('_')
}
