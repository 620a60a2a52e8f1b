import type { RequestHandler } from 'express'
import type { Lookups, SearchWish } from '#packages/lookups/lookups.ts'
import { platformNames } from '#packages/platforms/registry.ts'
import type { Answers } from '../answers/answers.ts'
import { Query } from '../requests/query.ts'
import { askerOf } from '../requests/request-context.ts'

const MAX_QUERY_LENGTH = 500
const limits = { min: 1, max: 20, fallback: 6 }

function wishOf(requestUrl: string): SearchWish {
  const query = new Query(requestUrl)
  const q = query.requiredText('q', MAX_QUERY_LENGTH)
  return { q, platform: query.oneOf('platform', platformNames), limit: query.integer('limit', limits) }
}

/** GET /v1/search. Platforms that could not be searched are named in `X-Search-Incomplete`. */
export const getSearch =
  ({ lookups, answers }: { lookups: Lookups; answers: Answers }): RequestHandler =>
  async (request, response) => {
    const { results, incomplete } = await lookups.search(askerOf(response), wishOf(request.url))
    answers.json(response, 200, results, incomplete.length > 0 ? { 'X-Search-Incomplete': incomplete.join(', ') } : {})
  }
