import type { Attributes } from './telemetry.ts'

/** The most series of a metric. The values of further series are combined in one, marked as OpenTelemetry marks it. */
const MAX_SERIES = 2000
const overflow: Attributes = { 'otel.metric.overflow': true }

/** One series: its attributes, and the values recorded for it. */
export type Series<P> = { readonly attributes: Attributes; readonly point: P }

/** The series that share the values of their first attributes. */
class Branch<P> {
  readonly next = new Map<Attributes[string], Branch<P>>()
  series: Series<P> | undefined
}

/**
 * The series of a metric. A series is found by the values of its declared attributes, one after another, because this
 * runs for every recorded value. Undeclared attributes create no series.
 */
export class SeriesOf<P> {
  readonly #declared: readonly string[]
  readonly #create: () => P
  readonly #root = new Branch<P>()
  readonly #all: Series<P>[] = []
  #overflow: Series<P> | undefined

  /** @param create makes the empty record of a new series */
  constructor(declared: readonly string[], create: () => P) {
    this.#declared = declared
    this.#create = create
  }

  get all(): readonly Series<P>[] {
    return this.#all
  }

  /** The record of the series with these attributes. */
  at(attributes: Attributes): P {
    let branch = this.#root
    for (const name of this.#declared) {
      const value = attributes[name]
      let next = branch.next.get(value)
      if (next === undefined) {
        if (this.#all.length >= MAX_SERIES) return this.#overflowing()
        next = new Branch()
        branch.next.set(value, next)
      }
      branch = next
    }
    branch.series ??= this.#begin(this.#declaredOf(attributes))
    return branch.series.point
  }

  #overflowing(): P {
    this.#overflow ??= this.#begin(overflow)
    return this.#overflow.point
  }

  #begin(attributes: Attributes): Series<P> {
    const series = { attributes, point: this.#create() }
    this.#all.push(series)
    return series
  }

  /** Without undeclared attributes and undefined values: those would be exported as empty values. */
  #declaredOf(attributes: Attributes): Attributes {
    const known = this.#declared.map((name) => [name, attributes[name]] as const)
    return Object.fromEntries(known.filter(([, value]) => value !== undefined))
  }
}
