/** Facts about a failed call. */
export type ErrorFacts = {
  /** HTTP status; 0 if no answer came. */
  status: number
  /** `details` of the Error object. */
  details?: unknown
  /** `X-Request-Id` of the answer, for reports to operators. */
  requestId?: string | undefined
  /** The job that failed, or that may have been accepted. */
  jobId?: string | undefined
  /** When to try again, if the answer says so. */
  retryAfterSeconds?: number | undefined
  cause?: unknown
}

/**
 * The only error class of this client. `code` comes from the Error object (`unauthorized`, `rate_limited` …), from a
 * failed job (`no_speech`, `video_private` …), or from this client: `network_error` (no answer came),
 * `invalid_response` (the answer is not from this service), `not_completed`, `timeout` (the job exceeded its window,
 * or did not end within all polls).
 */
export class VideoIntelligenceError extends Error {
  override readonly name = 'VideoIntelligenceError'
  readonly code: string
  readonly status: number
  readonly details: unknown
  readonly requestId: string | undefined
  readonly jobId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(code: string, message: string, { cause, ...facts }: ErrorFacts) {
    super(message, { cause })
    this.code = code
    this.status = facts.status
    this.details = facts.details ?? null
    this.requestId = facts.requestId
    this.jobId = facts.jobId
    this.retryAfterSeconds = facts.retryAfterSeconds
  }
}
