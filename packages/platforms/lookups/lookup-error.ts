import { failures } from '#packages/domain/job/failure.ts'
import { PaceError } from '#packages/foundation/errors/pace-error.ts'
import { invalidRequest, ServiceError } from '#packages/foundation/errors/service-error.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { StaleTokenError } from '#packages/platforms/paging/stale-token-error.ts'
import { SearchFailed, SearchNotConfigured } from '#packages/platforms/search/search.ts'
import { LeadsElsewhereError } from '#packages/platforms/urls/resolve-short-link.ts'

/** The subject of a lookup, for the error message. */
export type LookedUp = {
  /** The platform. Undefined if several are searched. */
  platform: string | undefined
  /** The field of the request that names the subject. */
  field: string
}

/** The answer to a failed lookup. The fault lies with the caller's request, the video or profile, or the platform. */
export function lookupErrorOf({ platform, field }: LookedUp, error: unknown): unknown {
  // Only the operator can change this. The message says how.
  if (error instanceof SearchNotConfigured) return new ServiceError('unavailable', error.message)
  const paced = error instanceof SearchFailed ? error.cause : error
  if (paced instanceof PaceError) return toUnavailable(paced)
  if (paced instanceof StaleTokenError)
    return invalidRequest({ path: 'cursor', message: 'has expired: start again without it' })
  if (error instanceof LeadsElsewhereError)
    return invalidRequest({ path: field, message: error.reason, code: error.code })
  const timedOut = error instanceof DOMException && error.name === 'TimeoutError'
  if (!(error instanceof StepError) && !timedOut) return error
  const code = error instanceof StepError ? error.code : 'timeout'
  const message = timedOut ? 'The platform did not answer in time.' : error.message
  if (failures[code].isUnfit) return invalidRequest({ path: field, message: `cannot be read: ${message}`, code })
  const details = { platform: (error instanceof SearchFailed ? error.platform : platform) ?? null, code }
  const kind = failures[code].isAboutTheVideo ? 'not_found' : 'upstream_error'
  const wait = error instanceof StepError ? error.retryAfterSeconds : undefined
  return new ServiceError(kind, message, { details, cause: error, ...(wait ? { retryAfterSeconds: wait } : {}) })
}

/** The answer if the pace of a platform allows no read now. */
export const toUnavailable = ({ message, retryAfterSeconds }: PaceError): ServiceError =>
  new ServiceError('unavailable', message, { retryAfterSeconds })
