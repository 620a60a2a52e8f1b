import type { ErrorRequestHandler, RequestHandler } from 'express'
import openapi from '#contracts/generated/openapi.json' with { type: 'json' }
import { RequestOverError } from '#packages/foundation/errors/request-over-error.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { serviceErrorOf } from '#packages/foundation/errors/service-error-of.ts'
import { contextOf } from '../requests/request-context.ts'
import type { Answers } from './answers.ts'

/** Answers every error with the Error object, and logs errors that are the service's own fault. */
export const answerErrors =
  ({ answers }: { answers: Answers }): ErrorRequestHandler =>
  (thrown: unknown, _request, response, _next) => {
    // The caller has left, so there is no failure to report and no reader for an answer.
    if (thrown instanceof RequestOverError && response.destroyed) return
    const error = serviceErrorOf(thrown)
    // Failures of a platform are not ours, and their messages may contain the caller's URL.
    const own = error.status >= 500 && error.code !== 'upstream_error' && error.cause !== undefined
    if (own) answers.failed(contextOf(response), error, 'a request failed')
    answers.error(response, error)
  }

const paths = new Set(Object.keys(openapi.paths))

/** Suggests the path that may be meant, if one differs only in its end: a slash, or a plural. */
export const notFound: RequestHandler = ({ originalUrl }) => {
  const [asked = ''] = originalUrl.split('?', 1)
  const meant = [asked.replace(/\/+$/, ''), asked.replace(/s?\/*$/, ''), `${asked}s`].find((path) => paths.has(path))
  const hint = meant === undefined ? 'All paths are in /docs.' : `Did you mean ${meant}?`
  throw new ServiceError('not_found', `There is nothing at this path. ${hint}`)
}
