import type { ErrorRequestHandler, RequestHandler } from 'express'
import { invalidRequest, ServiceError } from '#packages/errors/service-error.ts'
import { LedgerBusyError } from '#packages/ledger/ledgers.ts'
import { DamagedEventsError } from '#packages/ports/damaged-events.ts'
import { UnreachableError } from '#packages/ports/unreachable.ts'
import { ViewsUnreadableError } from '#packages/ports/views.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { contextOf } from '../requests/request-context.ts'
import type { Answers } from './answers.ts'

/** Answers every error with the Error object, and logs errors that are the service's own fault. */
export const answerErrors =
  ({ answers, log }: { answers: Answers; log: Logger }): ErrorRequestHandler =>
  (thrown: unknown, _request, response, _next) => {
    const error = serviceErrorOf(thrown)
    const { requestId, route } = contextOf(response)
    // Failures of a platform are not ours, and their messages may contain the caller's URL.
    const own = error.status >= 500 && error.code !== 'upstream_error' && error.cause !== undefined
    if (own) log.error({ requestId, route, err: error.cause }, 'a request failed')
    answers.error(response, error)
  }

const DAMAGED = 'What is stored about this is damaged; it cannot be answered until it has been put back.'
const DAMAGED_RETRY_SECONDS = 60

/** The DamagedEventsError among the causes of this error. */
function damageIn(thrown: unknown): DamagedEventsError | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause)
    if (error instanceof DamagedEventsError) return error
  return undefined
}

function serviceErrorOf(thrown: unknown): ServiceError {
  const damage = damageIn(thrown)
  if (damage !== undefined)
    return new ServiceError('unavailable', DAMAGED, { retryAfterSeconds: DAMAGED_RETRY_SECONDS, cause: damage })
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

export const notFound: RequestHandler = () => {
  throw new ServiceError('not_found', 'There is nothing at this path.')
}
