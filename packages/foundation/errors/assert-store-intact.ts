import { ServiceError } from './service-error.ts'

const RETRY_AFTER_SECONDS = 60

/**
 * Call it before accepting anything new: a job, a key, an organization.
 * @throws ServiceError unavailable, with the problem that `/ready` reports, if the store has lost or changed events
 */
export function assertStoreIntact(store: { integrityProblem(): string | undefined }): void {
  const problem = store.integrityProblem()
  if (problem === undefined) return
  const message = `Nothing is accepted now: ${problem}.`
  throw new ServiceError('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}
