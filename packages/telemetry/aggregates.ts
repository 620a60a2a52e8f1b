import type { Attributes as ApiAttributes, HrTime } from '@opentelemetry/api'
import type { CollectionResult, DataPoint, MetricData, MetricProducer } from '@opentelemetry/sdk-metrics'
import type { Counter, Gauge, Histogram } from './metrics.ts'
import { NAME } from './names.ts'
import { api, resources, sdkMetrics } from './otel-packages.ts'
import { SeriesOf } from './series.ts'
import type { Attributes, Observation } from './telemetry.ts'

const { ValueType } = api
const { AggregationTemporality, DataPointType } = sdkMetrics

type Read = () => Iterable<Observation>

/** A sum, or the newest value of a gauge. */
type Value = { value: number }

type Distribution = { count: number; sum: number; min: number; max: number; counts: number[] }

const newValue = (): Value => ({ value: 0 })

const newDistribution = (bounds: readonly number[]): Distribution => ({
  count: 0,
  sum: 0,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
  counts: new Array(bounds.length + 1).fill(0),
})

/** An instant, milliseconds since 1970, as seconds and nanoseconds. */
const hrTimeOf = (ms: number): HrTime => [Math.floor(ms / 1000), Math.floor((ms % 1000) * 1e6)]

/** Everything is counted from the start of the process. */
const startTime = hrTimeOf(performance.timeOrigin)

/** The points of all series at an instant. */
const pointsOf = <P, V>(series: SeriesOf<P>, endTime: HrTime, measuredOf: (point: P) => V): DataPoint<V>[] =>
  series.all.map(({ attributes, point }) => ({
    startTime,
    endTime,
    attributes: attributes as ApiAttributes,
    value: measuredOf(point),
  }))

const commonOf = ({ name, unit, meaning: description }: Counter | Gauge | Histogram) => ({
  descriptor: { name, unit, description, valueType: ValueType.DOUBLE },
  aggregationTemporality: AggregationTemporality.CUMULATIVE,
})

function dataOfValues(metric: Counter | Gauge, series: SeriesOf<Value>, endTime: HrTime): MetricData {
  const dataPoints = pointsOf(series, endTime, ({ value }) => value)
  return metric.kind === 'gauge'
    ? { ...commonOf(metric), dataPointType: DataPointType.GAUGE, dataPoints }
    : { ...commonOf(metric), dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
}

function dataOfDistributions(metric: Histogram, series: SeriesOf<Distribution>, endTime: HrTime): MetricData {
  const dataPoints = pointsOf(series, endTime, ({ counts, ...rest }) => ({
    ...rest,
    buckets: { boundaries: [...metric.bounds], counts: [...counts] },
  }))
  return { ...commonOf(metric), dataPointType: DataPointType.HISTOGRAM, dataPoints }
}

/**
 * All values recorded since the process began, and the gauges, which are read when they are collected. It replaces the
 * SDK's own aggregation, which turns the attributes of every value into JSON text: 0.45 µs each in a tight loop,
 * compared with 0.04 here.
 */
export class Aggregates implements MetricProducer {
  readonly #counters = new Map<Counter, SeriesOf<Value>>()
  readonly #histograms = new Map<Histogram, SeriesOf<Distribution>>()
  readonly #observed = new Map<Counter | Gauge, Read>()

  /** Ignores a value below 0, which a clock that goes back can produce. */
  add(counter: Counter, value: number, attributes: Attributes = {}): void {
    if (!(value >= 0)) return
    let series = this.#counters.get(counter)
    if (series === undefined) {
      series = new SeriesOf(counter.attributes, newValue)
      this.#counters.set(counter, series)
    }
    series.at(attributes).value += value
  }

  /** Ignores a value below 0, as `add` does. */
  record(histogram: Histogram, value: number, attributes: Attributes = {}): void {
    if (!(value >= 0)) return
    const { bounds } = histogram
    let series = this.#histograms.get(histogram)
    if (series === undefined) {
      series = new SeriesOf(histogram.attributes, () => newDistribution(bounds))
      this.#histograms.set(histogram, series)
    }
    const point = series.at(attributes)
    let bucket = 0
    while (value > (bounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket++
    point.counts[bucket] = (point.counts[bucket] ?? 0) + 1
    point.count += 1
    point.sum += value
    point.min = Math.min(point.min, value)
    point.max = Math.max(point.max, value)
  }

  observe(metric: Counter | Gauge, read: Read): void {
    this.#observed.set(metric, read)
  }

  async collect(): Promise<CollectionResult> {
    const errors: unknown[] = []
    const endTime = hrTimeOf(Date.now())
    const all = [
      ...Array.from(this.#counters, ([counter, series]) => dataOfValues(counter, series, endTime)),
      ...Array.from(this.#histograms, ([histogram, series]) => dataOfDistributions(histogram, series, endTime)),
      ...Array.from(this.#observed, ([metric, read]) => dataOfValues(metric, readAll(metric, read, errors), endTime)),
    ]
    const metrics = all.filter(({ dataPoints }) => dataPoints.length > 0)
    // The reader adds the resource.
    const resource = resources.emptyResource()
    return { resourceMetrics: { resource, scopeMetrics: [{ scope: { name: NAME }, metrics }] }, errors }
  }
}

/** What is observed now. If one metric cannot be read, it is left out, and the others are still read. */
function readAll({ attributes: declared }: Counter | Gauge, read: Read, errors: unknown[]): SeriesOf<Value> {
  const series = new SeriesOf(declared, newValue)
  try {
    for (const { value, attributes = {} } of read()) series.at(attributes).value = value
  } catch (error) {
    errors.push(error)
  }
  return series
}
