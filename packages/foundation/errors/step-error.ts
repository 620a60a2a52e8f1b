import { type FailureCode, failures } from '#packages/domain/job/failure.ts'
import type { Host } from '#packages/domain/job/retry.ts'

/**
 * Ends an attempt of a step. After a transient error the step is retried as long as the deadline allows. A permanent
 * error ends the step at once.
 */
export class StepError extends Error {
  readonly code: FailureCode
  readonly transient: boolean
  /** The earliest sensible time of the next attempt, seconds from now (a Retry-After). Undefined: the usual backoff. */
  readonly retryAfterSeconds: number | undefined
  /** The kind of outside host that failed, set where its failure is caught. The number of retries depends on it. */
  host: Host | undefined
  /** How many requests the attempt sent to the host that received most of them. Set where they are counted. */
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

  /** The full text for the customer. Logs get only the message, because details may hold content. */
  get customerMessage(): string {
    return this.#details === undefined ? this.message : `${this.message} ${this.#details}`
  }
}
