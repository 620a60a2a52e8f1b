import type { IdGenerator } from '@opentelemetry/sdk-trace'
import { sdkTrace } from './otel-packages.ts'

/** Ids of spans: random, unless the id is known before the span is recorded. */
export class GivenIds implements IdGenerator {
  readonly #random = new sdkTrace.RandomIdGenerator()
  #given: { traceId: string; spanId: string } | undefined

  /** Starts a span with these ids. */
  whileGiven<T>(ids: { traceId: string; spanId: string }, start: () => T): T {
    this.#given = ids
    try {
      return start()
    } finally {
      this.#given = undefined
    }
  }

  generateTraceId(): string {
    return this.#given?.traceId ?? this.#random.generateTraceId()
  }

  generateSpanId(): string {
    return this.#given?.spanId ?? this.#random.generateSpanId()
  }
}
