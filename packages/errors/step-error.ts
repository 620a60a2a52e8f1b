import { type FailureCode, failures } from '#packages/domain/job/failure.ts'
import type { Host } from '#packages/domain/job/retry.ts'

/**
 * Ends an attempt of a step. A transient one is tried again while it fits before the deadline; a permanent one ends
 * the step at once.
 */
export class StepError extends Error {
  readonly code: FailureCode
  readonly transient: boolean
  /** The earliest sensible time of the next attempt, seconds from now (a Retry-After); undefined: the usual backoff. */
  readonly retryAfterSeconds: number | undefined
  /** The host outside that failed: noted where its failure is caught. How often it is asked again depends on it. */
  host: Host | undefined
  /** Requests that the attempt has made of that host, redirects among them: noted where they are counted. */
  requests: number | undefined
  readonly #details: string | undefined

  constructor(
    code: FailureCode,
    more: {
      transient?: boolean
      message?: string
      details?: string
      retryAfterSeconds?: number
      cause?: unknown
    } = {},
  ) {
    super(more.message ?? failures[code].message, { cause: more.cause })
    this.name = 'StepError'
    this.code = code
    this.transient = more.transient ?? false
    this.retryAfterSeconds = more.retryAfterSeconds
    this.#details = more.details
  }

  /** What the person who asked is told, in full. The message alone goes into logs: details may be made of content. */
  get told(): string {
    return this.#details === undefined ? this.message : `${this.message} ${this.#details}`
  }
}
