/** Queries of Prometheus, made from the metrics' own entries: no query spells the name of a metric or a label. */
import type { Counter, Gauge, Histogram } from '#packages/telemetry/metrics.ts'
import { type Metric, prometheusName } from '#packages/telemetry/prometheus-name.ts'
import { prometheusLabel } from './names.ts'

/** Wanted values of a label: one, any of several, none of several, or those that match a pattern. */
export type Wanted = string | readonly string[] | { not: readonly string[] } | { like: string }

export type Of = {
  /** Attributes whose values are told apart. All others are summed up. */
  by?: readonly string[]
  /** Only series with these values. */
  where?: Readonly<Record<string, Wanted>>
}

/** The service's own part of the label `job`: its namespace, from `service.namespace`. */
export const everyJob = 'video-intelligence/.+'

function matcher(label: string, wanted: Wanted): string {
  if (typeof wanted === 'string') return `${label}="${wanted}"`
  if ('like' in wanted) return `${label}=~"${wanted.like}"`
  if ('not' in wanted) return `${label}!~"${wanted.not.join('|')}"`
  return `${label}=~"${wanted.join('|')}"`
}

/** Labels that every series has, whatever its metric: `job` is the service, `instance` the process. */
const ofEverySeries = ['job', 'instance']

/** @throws Error for an attribute that the metric does not have */
function labelOf(metric: Metric, attribute: string): string {
  if (!metric.attributes.includes(attribute) && !ofEverySeries.includes(attribute))
    throw new Error(`${metric.name} has no attribute ${attribute}`)
  return prometheusLabel(attribute)
}

/** How series become one: `sum by (video_step) (…)`. */
const fold = (how: 'sum' | 'max' | 'min', labels: readonly string[], expr: string): string =>
  labels.length === 0 ? `${how}(${expr})` : `${how} by (${labels.join(', ')}) (${expr})`

/** The value, and 0 where there is no series at all. */
export const orZero = (expr: string): string => `${expr} or on() vector(0)`

export class Queries {
  readonly #jobs: string
  readonly #window: string

  /** @param jobs pattern of the label `job` @param window of rates: `5m` */
  constructor({ jobs, window }: { jobs: string; window: string }) {
    this.#jobs = jobs
    this.#window = window
  }

  /** Per second, by counter. */
  rate(counter: Counter, { by = [], where = {} }: Of = {}): string {
    return this.#folded(counter, by, `rate(${this.#series(counter, where)}[${this.#window}])`)
  }

  /** How much a counter has grown over a range. */
  increase(counter: Counter, range: string, { by = [], where = {} }: Of = {}): string {
    return this.#folded(counter, by, `increase(${this.#series(counter, where)}[${range}])`)
  }

  /** How many values a histogram has taken over a range. */
  count(histogram: Histogram, range: string, { by = [], where = {} }: Of = {}): string {
    return this.#folded(histogram, by, `increase(${this.#series(histogram, where, '_count')}[${range}])`)
  }

  /** Values per second of a histogram. @param window instead of that of all rates */
  rateOf(histogram: Histogram, { by = [], where = {} }: Of = {}, window = this.#window): string {
    return this.#folded(histogram, by, `rate(${this.#series(histogram, where, '_count')}[${window}])`)
  }

  /** Seconds per second that a histogram has taken: how many were under way at a time, on average. */
  timeIn(histogram: Histogram, { by = [], where = {} }: Of = {}): string {
    return this.#folded(histogram, by, `rate(${this.#series(histogram, where, '_sum')}[${this.#window}])`)
  }

  /** @param share 0.99: 99 of 100 values are below */
  quantile(share: number, histogram: Histogram, { by = [], where = {} }: Of = {}): string {
    const rate = `rate(${this.#series(histogram, where, '_bucket')}[${this.#window}])`
    const labels = by.map((attribute) => labelOf(histogram, attribute))
    return `histogram_quantile(${share}, ${fold('sum', ['le', ...labels], rate)})`
  }

  /** What every process tells of itself: the sum. Of a counter: since the processes that run were started. */
  sum(gauge: Gauge | Counter, { by = [], where = {} }: Of = {}): string {
    return this.#folded(gauge, by, this.#series(gauge, where))
  }

  /** A gauge that several processes may tell of the same thing: the largest. */
  max(gauge: Gauge, { by = [], where = {} }: Of = {}): string {
    return this.#folded(gauge, by, this.#series(gauge, where), 'max')
  }

  /** Likewise the smallest. */
  min(gauge: Gauge, { by = [], where = {} }: Of = {}): string {
    return this.#folded(gauge, by, this.#series(gauge, where), 'min')
  }

  /** The series themselves. */
  series(gauge: Gauge, where: NonNullable<Of['where']> = {}): string {
    return this.#series(gauge, where)
  }

  /**
   * How much a counter has grown, for alerts: `increase` misses the first value of a series, and the first failure of
   * its kind is a series of its own. A series is new where it was not seen for an hour before the range.
   * @param hour how long that is
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

/** A range that ends `until` ago and began `from` ago. */
type Shift = { until: string; from: string }
