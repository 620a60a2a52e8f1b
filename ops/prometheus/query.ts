/** Queries of Prometheus, made from the metrics' definitions: no query spells the name of a metric or a label. */
import type { Counter, Gauge, Histogram } from '#packages/telemetry/metrics.ts'
import { type Metric, prometheusName } from '#packages/telemetry/prometheus-name.ts'
import { prometheusLabel } from './names.ts'

/** Wanted values of a label: one, any of several, none of several, or a pattern. */
export type Wanted = string | readonly string[] | { not: readonly string[] } | { like: string }

export type Of = {
  /** The attributes to group by. All others are summed up. */
  by?: readonly string[]
  /** Only series with these values. */
  where?: Readonly<Record<string, Wanted>>
}

/** The service's part of the label `job`: its namespace, from `service.namespace`. */
export const everyJob = 'video-intelligence/.+'

function matcher(label: string, wanted: Wanted): string {
  if (typeof wanted === 'string') return `${label}="${wanted}"`
  if ('like' in wanted) return `${label}=~"${wanted.like}"`
  if ('not' in wanted) return `${label}!~"${wanted.not.join('|')}"`
  return `${label}=~"${wanted.join('|')}"`
}

/** Labels of every series: `job` is the service, `instance` the process. */
const ofEverySeries = ['job', 'instance']

/** @throws Error the metric has no such attribute */
function labelOf(metric: Metric, attribute: string): string {
  if (!metric.attributes.includes(attribute) && !ofEverySeries.includes(attribute))
    throw new Error(`${metric.name} has no attribute ${attribute}`)
  return prometheusLabel(attribute)
}

/** Aggregates series: `sum by (video_step) (…)`. */
const fold = (how: 'sum' | 'max' | 'min', labels: readonly string[], expr: string): string =>
  labels.length === 0 ? `${how}(${expr})` : `${how} by (${labels.join(', ')}) (${expr})`

const counted = ({ kind }: Counter | Histogram): string => (kind === 'histogram' ? '_count' : '')

/** The value, or 0 if there is no series. */
export const orZero = (expr: string): string => `${expr} or on() vector(0)`

export class Queries {
  readonly #jobs: string
  readonly #window: string

  /** @param jobs pattern of the label `job` @param window of rates: `5m` */
  constructor({ jobs, window }: { jobs: string; window: string }) {
    this.#jobs = jobs
    this.#window = window
  }

  /** The rate of a counter, or of a histogram's values, per second. @param window instead of the default window of rates */
  rate(metric: Counter | Histogram, { by = [], where = {} }: Of = {}, window = this.#window): string {
    return this.#folded(metric, by, `rate(${this.#series(metric, where, counted(metric))}[${window}])`)
  }

  /** The increase of a counter, or the number of values of a histogram, over a range. */
  increase(metric: Counter | Histogram, range: string, { by = [], where = {} }: Of = {}): string {
    return this.#folded(metric, by, `increase(${this.#series(metric, where, counted(metric))}[${range}])`)
  }

  /** A histogram's total per second: the average number that ran at a time. */
  timeIn(histogram: Histogram, { by = [], where = {} }: Of = {}): string {
    return this.#folded(histogram, by, `rate(${this.#series(histogram, where, '_sum')}[${this.#window}])`)
  }

  /** @param share 0.99: 99 of 100 values are below */
  quantile(share: number, histogram: Histogram, { by = [], where = {} }: Of = {}): string {
    const rate = `rate(${this.#series(histogram, where, '_bucket')}[${this.#window}])`
    const labels = by.map((attribute) => labelOf(histogram, attribute))
    return `histogram_quantile(${share}, ${fold('sum', ['le', ...labels], rate)})`
  }

  /** The sum over all processes. For a counter: since the start of the running processes. */
  sum(gauge: Gauge | Counter, { by = [], where = {} }: Of = {}): string {
    return this.#folded(gauge, by, this.#series(gauge, where))
  }

  /** The largest value of a gauge that several processes report about the same thing. */
  max(gauge: Gauge, { by = [], where = {} }: Of = {}): string {
    return this.#folded(gauge, by, this.#series(gauge, where), 'max')
  }

  /** The smallest value of a gauge that several processes report about the same thing. */
  min(gauge: Gauge, { by = [], where = {} }: Of = {}): string {
    return this.#folded(gauge, by, this.#series(gauge, where), 'min')
  }

  /** The series themselves. */
  series(gauge: Gauge, where: NonNullable<Of['where']> = {}): string {
    return this.#series(gauge, where)
  }

  /**
   * The growth of a counter, for alerts. `increase` misses a series' first value, and the first failure of its kind is
   * a new series. A series is new if it did not exist for an hour before the range.
   * @param hour the length of that hour
   */
  growth(counter: Counter, { range, hour, before }: { range: string; hour: string; before?: Shift }, of: Of = {}) {
    const { by = [], where = {} } = of
    const series = this.#series(counter, where)
    const [shift, start] = before ? [` offset ${before.until}`, before.from] : ['', range]
    const isNew = `${series}${shift} unless last_over_time(${series}[${hour}] offset ${start})`
    return this.#folded(counter, by, `(${isNew}) or increase(${series}[${range}]${shift})`)
  }

  #folded(metric: Metric, by: readonly string[], expr: string, how: 'sum' | 'max' | 'min' = 'sum'): string {
    return fold(
      how,
      by.map((attribute) => labelOf(metric, attribute)),
      expr,
    )
  }

  #series(metric: Metric, where: NonNullable<Of['where']>, suffix = ''): string {
    const wanted = Object.entries(where).map(([attribute, each]) => matcher(labelOf(metric, attribute), each))
    return `${prometheusName(metric)}${suffix}{${[`job=~"${this.#jobs}"`, ...wanted].join(', ')}}`
  }
}

/** A range that began `from` ago and ended `until` ago. */
type Shift = { until: string; from: string }
