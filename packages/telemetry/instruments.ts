import type {
  Attributes as ApiAttributes,
  Counter as ApiCounter,
  Histogram as ApiHistogram,
  Meter,
} from '@opentelemetry/api'
import type { InstrumentType } from '@opentelemetry/sdk-metrics'
import type { Counter, Gauge, Histogram } from './metrics.ts'
import { sdkMetrics } from './otel-packages.ts'
import type { Attributes, Observation } from './telemetry.ts'

const { AggregationTemporality, InstrumentType: type } = sdkMetrics

/**
 * Everything is counted from the start of the process, except gauges. Unless a gauge's temporality is delta, the SDK
 * keeps exporting series that are no longer observed.
 */
export const temporalityOf = (instrument: InstrumentType) =>
  instrument === type.OBSERVABLE_GAUGE ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE

/** The most series of a gauge since the process began. The SDK also counts series that are no longer observed. */
export const MAX_GAUGE_SERIES = 50_000

/** The instruments of the SDK, by metric. Undeclared attributes create no series. */
export class Instruments {
  readonly #meter: Meter
  readonly #counters = new Map<Counter, ApiCounter>()
  readonly #histograms = new Map<Histogram, ApiHistogram>()

  constructor(meter: Meter) {
    this.#meter = meter
  }

  /** Ignores a value below 0, which a clock that goes back can produce. */
  add(counter: Counter, value: number, attributes: Attributes = {}): void {
    if (!(value >= 0)) return
    let instrument = this.#counters.get(counter)
    if (instrument === undefined) {
      instrument = this.#meter.createCounter(counter.name, aboutOf(counter))
      this.#counters.set(counter, instrument)
    }
    instrument.add(value, declared(counter, attributes))
  }

  /** Ignores a value below 0, as `add` does. */
  record(histogram: Histogram, value: number, attributes: Attributes = {}): void {
    if (!(value >= 0)) return
    let instrument = this.#histograms.get(histogram)
    if (instrument === undefined) {
      const advice = { explicitBucketBoundaries: [...histogram.bounds] }
      instrument = this.#meter.createHistogram(histogram.name, { ...aboutOf(histogram), advice })
      this.#histograms.set(histogram, instrument)
    }
    instrument.record(value, declared(histogram, attributes))
  }

  /** @param read if it fails, this metric is left out, and the others are still read */
  observe(metric: Counter | Gauge, read: () => Iterable<Observation>): void {
    const { name, kind } = metric
    const about = aboutOf(metric)
    const instrument =
      kind === 'gauge'
        ? this.#meter.createObservableGauge(name, about)
        : this.#meter.createObservableCounter(name, about)
    instrument.addCallback((result) => {
      for (const { value, attributes = {} } of read()) result.observe(value, declared(metric, attributes))
    })
  }
}

const aboutOf = ({ unit, meaning: description }: Counter | Gauge | Histogram) => ({ unit, description })

/** The attributes without undeclared ones and undefined values, which would be exported as empty values. */
function declared({ attributes: names }: Counter | Gauge | Histogram, attributes: Attributes): ApiAttributes {
  const known: ApiAttributes = {}
  for (const name of names) if (attributes[name] !== undefined) known[name] = attributes[name]
  return known
}
