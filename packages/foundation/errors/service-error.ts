import type { ErrorCode, RequestProblem } from '#contracts/generated/http.ts'
import table from '#contracts/http/schemas/ErrorCode.json' with { type: 'json' }

export type { ErrorCode }

/** The HTTP status of every error code (ops/adr/0001, error codes). */
export const statusOf = Object.fromEntries(
  table.oneOf.map(({ const: code, 'x-status': status }) => [code, status]),
) as Readonly<Record<ErrorCode, number>>

/** An error that the caller receives as the Error object of the specification. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  /** Any JSON value. Null if the specification shows null. */
  readonly details: unknown
  /** Sent as `Retry-After`, seconds. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    more: { details?: unknown; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause })
    this.name = 'ServiceError'
    this.code = code
    this.details = more.details ?? null
    this.retryAfterSeconds = more.retryAfterSeconds
  }

  get status(): number {
    return statusOf[this.code]
  }
}

/** A 400 that names each wrong field and its problem. */
export const invalidRequest = (...problems: RequestProblem[]): ServiceError =>
  new ServiceError('invalid_request', problems.map(({ path, message }) => `${path} ${message}`).join('; '), {
    details: problems,
  })
