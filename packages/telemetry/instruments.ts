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
 * Everything is counted from when the process began, but for gauges: of a gauge whose temporality is not delta the SDK
 * goes on to export series that are not observed any more.
 */
export const temporalityOf = (instrument: InstrumentType) =>
  instrument === type.OBSERVABLE_GAUGE ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE

/** Series of a gauge, in all the time of the process: the SDK counts also those that are not observed any more. */
export const MAX_GAUGE_SERIES = 50_000

/** The instruments of the SDK, by metric. Attributes that a metric does not declare make no series. */
export class Instruments {
  readonly #meter: Meter
  readonly #counters = new Map<Counter, ApiCounter>()
  readonly #histograms = new Map<Histogram, ApiHistogram>()

  constructor(meter: Meter) {
    this.#meter = meter
  }

  /** A value below 0, as clocks that go back give it, is left out. */
  add(counter: Counter, value: number, attributes: Attributes = {}): void {
    if (!(value >= 0)) return
    let instrument = this.#counters.get(counter)
    if (instrument === undefined) {
      instrument = this.#meter.createCounter(counter.name, aboutOf(counter))
      this.#counters.set(counter, instrument)
    }
    instrument.add(value, declared(counter, attributes))
  }

  /** As `add` does, it leaves out a value below 0. */
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

  /** @param read a metric that cannot be read is left out, and costs no other one */
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

/** Without what is not declared, and without undefined values, which would be exported as empty ones. */
function declared({ attributes: names }: Counter | Gauge | Histogram, attributes: Attributes): ApiAttributes {
  const known: ApiAttributes = {}
  for (const name of names) if (attributes[name] !== undefined) known[name] = attributes[name]
  return known
}
