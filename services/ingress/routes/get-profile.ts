import type { RequestHandler } from 'express'
import type { Lookups, ProfileQuestion } from '#packages/lookups/lookups.ts'
import type { ProfilePlatform } from '#packages/platforms/registry.ts'
import type { Answers } from '../answers/answers.ts'
import { Query } from '../requests/query.ts'
import { askerOf } from '../requests/request-context.ts'

const MAX_URL_LENGTH = 2048
const limits = { min: 1, max: 24, fallback: 12 }

function questionOf(requestUrl: string): ProfileQuestion {
  const query = new Query(requestUrl)
  return {
    username: query.text('username', MAX_URL_LENGTH),
    url: query.text('url', MAX_URL_LENGTH),
    limit: query.integer('limit', limits),
  }
}

/** GET /v1/{platform}/profile */
export const getProfile =
  ({ lookups, answers }: { lookups: Lookups; answers: Answers }, platform: ProfilePlatform): RequestHandler =>
  async (request, response) =>
    answers.json(response, 200, await lookups.profile(askerOf(response), platform, questionOf(request.url)))
