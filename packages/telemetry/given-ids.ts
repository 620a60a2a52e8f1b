import type { IdGenerator } from '@opentelemetry/sdk-trace'
import { sdkTrace } from './otel-packages.ts'

/** Ids of spans: random, but for a span whose id is known before it is recorded. */
export class GivenIds implements IdGenerator {
  readonly #random = new sdkTrace.RandomIdGenerator()
  #given: { traceId: string; spanId: string } | undefined

  /** Starts a span, which gets these ids. */
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
