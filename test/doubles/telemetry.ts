import { AsyncLocalStorage } from 'node:async_hooks'
import type { Attributes, EndedSpan, Observation, Span, Telemetry } from '#packages/telemetry/telemetry.ts'
import { inTraceOf, isSampled, newSpanId, spanIdOf } from '#packages/telemetry/traceparent.ts'

/** Keeps what it is given. */
export class RecordingTelemetry implements Telemetry {
  readonly isExported = true
  readonly spans: EndedSpan[] = []
  readonly values: { name: string; value: number; attributes: Attributes }[] = []
  readonly gauges = new Map<string, () => Iterable<Observation>>()
  /** Decides which traces are recorded. */
  isSampled: (traceId: string) => boolean = () => true
  readonly #around = new AsyncLocalStorage<string | undefined>()

  get current(): string | undefined {
    return this.#around.getStore()
  }

  async inSpan<T>(span: Span, work: (set: (attributes: Attributes) => void) => Promise<T>): Promise<T> {
    const parent = this.current
    if (parent === undefined) return work(() => {})
    const traceparent = inTraceOf(parent, newSpanId())
    const startedAt = Date.now()
    let attributes = span.attributes ?? {}
    let error: string | undefined
    const set = (more: Attributes): void => {
      attributes = { ...attributes, ...more }
    }
    try {
      return await this.within(traceparent, () => work(set))
    } catch (thrown) {
      error = (thrown as { code?: string }).code ?? (thrown as Error).name
      throw thrown
    } finally {
      this.ended({
        ...span,
        attributes,
        traceparent,
        parentId: spanIdOf(parent),
        startedAt,
        endedAt: Date.now(),
        error,
      })
    }
  }

  within<T>(traceparent: string, work: () => T): T {
    return this.#around.run(isSampled(traceparent) ? traceparent : undefined, work)
  }

  ended(span: EndedSpan): void {
    if (isSampled(span.traceparent)) this.spans.push(span)
  }

  add({ name }: { name: string }, value: number, attributes: Attributes = {}): void {
    this.values.push({ name, value, attributes })
  }

  record({ name }: { name: string }, value: number, attributes: Attributes = {}): void {
    this.values.push({ name, value, attributes })
  }

  observe({ name }: { name: string }, read: () => Iterable<Observation>): void {
    this.gauges.set(name, read)
  }

  /** What is observed of one metric now: for each, the values of its attributes and then the value. */
  observed({ name }: { name: string }): unknown[][] {
    const now = [...(this.gauges.get(name)?.() ?? [])]
    return now.map(({ value, attributes = {} }) => [...Object.values(attributes), value])
  }

  /** The spans with this name. */
  named(name: string): EndedSpan[] {
    return this.spans.filter((span) => span.name === name)
  }

  /** The values of one metric, with their attributes. */
  valuesOf({ name }: { name: string }): { value: number; attributes: Attributes }[] {
    return this.values.filter((each) => each.name === name).map(({ value, attributes }) => ({ value, attributes }))
  }
}
