import type { Counter, Gauge, Histogram } from './metrics.ts'

export type Metric = Counter | Gauge | Histogram

/** The words for units that the translation from OTLP appends to a name. A unit in braces is left out. */
const unitWords: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes' }

function unitOf({ kind, unit }: Metric): string | undefined {
  if (unit.startsWith('{')) return undefined
  if (unit === '1') return kind === 'gauge' ? 'ratio' : undefined
  const word = unitWords[unit]
  if (word === undefined) throw new Error(`the unit ${unit} has no word in Prometheus yet`)
  return word
}

/**
 * The name of a metric in Prometheus. It is the same whether it arrives by OTLP and a collector or from `/metrics`, so
 * every query works for both. A histogram's series add `_bucket`, `_count` and `_sum`.
 * @throws Error for a unit that no metric had yet
 */
export function prometheusName(metric: Metric): string {
  const words = metric.name.split(/[^A-Za-z0-9]+/)
  const unit = unitOf(metric)
  if (unit !== undefined && !words.includes(unit)) words.push(unit)
  if (metric.kind === 'counter') words.push('total')
  return words.join('_')
}
