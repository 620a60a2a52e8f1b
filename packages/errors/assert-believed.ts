import { ServiceError } from './service-error.ts'

const RETRY_AFTER_SECONDS = 60

/**
 * To be called before anything new is accepted: a job, a key, an organization.
 * @throws ServiceError unavailable, with the sentence that `/ready` tells, where the events cannot be believed
 */
export function assertBelieved(store: { integrityProblem(): string | undefined }): void {
  const problem = store.integrityProblem()
  if (problem === undefined) return
  const message = `Nothing is accepted now: ${problem}.`
  throw new ServiceError('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}
