import type { RequestHandler } from 'express'
import { ServiceError } from '#packages/errors/service-error.ts'
import type { Readiness } from '#packages/readiness/readiness.ts'
import type { Answers } from '../answers/answer.ts'
import type { Sources } from './sources.ts'

const RETRY_AFTER_SECONDS = 1

/**
 * GET /ready, for operators: whether everything that is needed is there and caught up, which platforms refuse us, and
 * which accounts are spared. The service serves what it can all the same.
 */
export const getReady =
  ({ sources, answers, readiness }: { sources: Sources; answers: Answers; readiness: Readiness }): RequestHandler =>
  async (_request, response) => {
    const problems = await readiness.problems()
    if (problems.length > 0)
      throw new ServiceError('unavailable', `Not ready: ${problems.join('; ')}.`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    answers.json(response, 200, { status: 'ready', ...sources.standing() })
  }
