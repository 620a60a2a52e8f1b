import { ServiceError } from '#packages/foundation/errors/service-error.ts'

/** The same error for a job that never existed, one of another organization or kind, and one that was forgotten. */
export const noSuchJob = (): ServiceError =>
  new ServiceError(
    'not_found',
    'There is no such job. A transcript is polled at /v1/transcript/{jobId}, an extraction at /v1/extract/{jobId}.',
  )
