import type { FailureCode } from '#packages/domain/job/failure.ts'
import { invalidRequest, ServiceError } from '#packages/errors/service-error.ts'
import { StepError } from '#packages/errors/step-error.ts'
import { SearchFailed, SearchNotConfigured } from '#packages/platforms/search/search.ts'
import { LeadsElsewhereError } from '#packages/platforms/urls/resolve-short-link.ts'

const notThere: readonly FailureCode[] = [
  'video_unavailable',
  'video_private',
  'age_restricted',
  'geo_blocked',
  'login_required',
]
const notReadable: readonly FailureCode[] = ['media_unsupported', 'media_too_large', 'media_too_long', 'live_not_ended']

/** What was looked up, for the error that tells of it. */
export type LookedUp = {
  /** Whose it is; undefined where several platforms are asked. */
  platform: string | undefined
  /** The field of the request that names it. */
  field: string
}

/** What a failed lookup is answered with: the caller's request, what it asks for, or the platform is at fault. */
export function lookupErrorOf({ platform, field }: LookedUp, error: unknown): unknown {
  // The operator's to mend: the message says how.
  if (error instanceof SearchNotConfigured) return new ServiceError('unavailable', error.message)
  if (error instanceof LeadsElsewhereError) return invalidRequest({ path: field, message: error.reason })
  const timedOut = error instanceof DOMException && error.name === 'TimeoutError'
  if (!(error instanceof StepError) && !timedOut) return error
  const code = error instanceof StepError ? error.code : 'timeout'
  const message = timedOut ? 'The platform did not answer in time.' : error.message
  if (notReadable.includes(code)) return invalidRequest({ path: field, message: `cannot be read: ${message}` })
  const details = { platform: (error instanceof SearchFailed ? error.platform : platform) ?? null, code }
  const kind = notThere.includes(code) ? 'not_found' : 'upstream_error'
  const wait = error instanceof StepError ? error.retryAfterSeconds : undefined
  return new ServiceError(kind, message, { details, cause: error, ...(wait ? { retryAfterSeconds: wait } : {}) })
}
