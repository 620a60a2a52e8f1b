import type { RequestProblem } from '#contracts/generated/http.ts'

/** Every error code an HTTP answer can carry, with its status (ops/adr/0001, error codes). */
export const statusOf = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  idempotency_conflict: 409,
  job_not_ended: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  upstream_error: 502,
  unavailable: 503,
  timeout: 504,
} as const

export type ErrorCode = keyof typeof statusOf

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
