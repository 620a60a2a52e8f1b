import type { RequestHandler } from 'express'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { Readiness } from '#packages/foundation/readiness/readiness.ts'
import type { RouteParts } from './route-parts.ts'

const RETRY_AFTER_SECONDS = 1

type Parts = Pick<RouteParts, 'platforms' | 'answers'> & { readiness: Readiness }

/**
 * GET /ready, for operators: whether all servers answer and all followers have caught up, outside trouble, platforms
 * that refuse us, and paused accounts. A process that is not ready still serves what it can.
 */
export const getReady =
  ({ platforms, answers, readiness }: Parts): RequestHandler =>
  async (_request, response) => {
    const problems = await readiness.problems()
    if (problems.length > 0)
      throw new ServiceError('unavailable', `Not ready: ${problems.join('; ')}.`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    answers.json(response, 200, { status: 'ready', warnings: readiness.warnings, ...platforms.standing() })
  }
