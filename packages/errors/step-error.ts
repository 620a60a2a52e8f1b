import { type FailureCode, failures } from '#packages/domain/job/failure.ts'

/**
 * Ends an attempt of a step. A transient one is tried again while it fits before the deadline; a permanent one ends
 * the step at once.
 */
export class StepError extends Error {
  readonly code: FailureCode
  readonly transient: boolean
  /** The earliest sensible time of the next attempt, seconds from now (a Retry-After); undefined: the usual backoff. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: FailureCode,
    more: { transient?: boolean; message?: string; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(more.message ?? failures[code], { cause: more.cause })
    this.name = 'StepError'
    this.code = code
    this.transient = more.transient ?? false
    this.retryAfterSeconds = more.retryAfterSeconds
  }
}
