import { ServiceError } from '#packages/foundation/errors/service-error.ts'

/** It is unknown whether the job was accepted. The caller can poll its id. */
export class UnknownJobError extends ServiceError {
  readonly jobId: string
  /** Another request, under the same idempotency key, may begin the job in another trace. */
  readonly isShared: boolean

  constructor(jobId: string, isShared: boolean, cause: unknown) {
    const message = 'The job may have been accepted: poll its id to see.'
    super('unavailable', message, { details: { jobId }, retryAfterSeconds: 1, cause })
    this.jobId = jobId
    this.isShared = isShared
  }
}
