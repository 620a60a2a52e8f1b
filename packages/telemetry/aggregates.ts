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

/** Everything is counted from when the process began. */
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
 * All that was recorded since the process began, and the gauges, which are read when they are collected. It stands in the
 * place of the SDK's own aggregation, which makes a JSON text of the attributes of every value: in a tight loop 0.45 µs each, and here 0.04.
 */
export class Aggregates implements MetricProducer {
  readonly #counters = new Map<Counter, SeriesOf<Value>>()
  readonly #histograms = new Map<Histogram, SeriesOf<Distribution>>()
  readonly #observed = new Map<Counter | Gauge, Read>()

  /** A value below 0, as clocks that go back give it, is left out. */
  add(counter: Counter, value: number, attributes: Attributes = {}): void {
    if (!(value >= 0)) return
    let series = this.#counters.get(counter)
    if (series === undefined) {
      series = new SeriesOf(counter.attributes, newValue)
      this.#counters.set(counter, series)
    }
    series.at(attributes).value += value
  }

  /** As `add` does, it leaves out a value below 0. */
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
    // The resource is added by the reader.
    const resource = resources.emptyResource()
    return { resourceMetrics: { resource, scopeMetrics: [{ scope: { name: NAME }, metrics }] }, errors }
  }
}

/** What is observed now. A metric that cannot be read is left out, and costs no other one. */
function readAll({ attributes: declared }: Counter | Gauge, read: Read, errors: unknown[]): SeriesOf<Value> {
  const series = new SeriesOf(declared, newValue)
  try {
    for (const { value, attributes = {} } of read()) series.at(attributes).value = value
  } catch (error) {
    errors.push(error)
  }
  return series
}
