import type { ErrorRequestHandler, RequestHandler } from 'express'
import { RequestOverError } from '#packages/errors/request-over-error.ts'
import { ServiceError } from '#packages/errors/service-error.ts'
import { serviceErrorOf } from '#packages/errors/service-error-of.ts'
import { contextOf } from '../requests/request-context.ts'
import type { Answers } from './answers.ts'

/** Answers every error with the Error object, and logs errors that are the service's own fault. */
export const answerErrors =
  ({ answers }: { answers: Answers }): ErrorRequestHandler =>
  (thrown: unknown, _request, response, _next) => {
    // The caller has gone: that is no failure of ours, and nobody is there to be told.
    if (thrown instanceof RequestOverError && response.destroyed) return
    const error = serviceErrorOf(thrown)
    // Failures of a platform are not ours, and their messages may contain the caller's URL.
    const own = error.status >= 500 && error.code !== 'upstream_error' && error.cause !== undefined
    if (own) answers.failed(contextOf(response), error, 'a request failed')
    answers.error(response, error)
  }

export const notFound: RequestHandler = () => {
  throw new ServiceError('not_found', 'There is nothing at this path.')
}
