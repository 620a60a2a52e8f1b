import { DamagedEventsError } from '#packages/ports/damaged-events.ts'
import { UnreachableError, UnwritableError } from '#packages/ports/unreachable.ts'
import { ViewsUnreadableError } from '#packages/ports/views.ts'
import { LedgerBusyError } from './ledger-busy-error.ts'
import { invalidRequest, ServiceError } from './service-error.ts'

const DAMAGED = 'What is stored about this is damaged; it cannot be answered until it has been put back.'
const DAMAGED_RETRY_SECONDS = 60

const FULL = 'Nothing can be stored now: the disk of the service is full, or fails.'
const FULL_RETRY_SECONDS = 10

/** The first error of this class among a thrown value and its causes. */
function causeIn<E extends Error>(thrown: unknown, kind: abstract new (...given: never[]) => E): E | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) if (error instanceof kind) return error
  return undefined
}

/** The caller's error for any thrown value, the same on every surface. Errors of our own have a cause. */
export function serviceErrorOf(thrown: unknown): ServiceError {
  const damage = causeIn(thrown, DamagedEventsError)
  if (damage !== undefined)
    return new ServiceError('unavailable', DAMAGED, { retryAfterSeconds: DAMAGED_RETRY_SECONDS, cause: damage })
  const full = causeIn(thrown, UnwritableError)
  if (full !== undefined) {
    // The details include the id of a job that may have been accepted.
    const details = thrown instanceof ServiceError ? thrown.details : null
    return new ServiceError('unavailable', FULL, { details, retryAfterSeconds: FULL_RETRY_SECONDS, cause: full })
  }
  if (thrown instanceof ServiceError) return thrown
  if (thrown instanceof LedgerBusyError) {
    return new ServiceError('unavailable', 'The credits cannot be read now.', { retryAfterSeconds: 1, cause: thrown })
  }
  if (thrown instanceof ViewsUnreadableError) {
    // Not logged for each request: the projector logs it once.
    return new ServiceError('unavailable', `Try again soon: ${thrown.message}.`, { retryAfterSeconds: 1 })
  }
  if (thrown instanceof UnreachableError) {
    const message = 'Something that the service needs does not answer now.'
    return new ServiceError('unavailable', message, { retryAfterSeconds: 1, cause: thrown })
  }
  // Thrown by Express for a path that cannot be decoded.
  if (thrown instanceof URIError) return invalidRequest({ path: 'path', message: 'is not percent-encoded properly' })
  return new ServiceError('internal_error', 'The service failed.', { cause: thrown })
}
