import type { RequestHandler } from 'express'
import type { Lookups } from '#packages/lookups/lookups.ts'
import { searchWishOf } from '#packages/lookups/questions.ts'
import { Query } from '#packages/validation/query.ts'
import type { Answers } from '../answers/answers.ts'
import { askerOf } from '../requests/request-context.ts'

/** GET /v1/search. Platforms that could not be searched are named in `X-Search-Incomplete`. */
export const getSearch =
  ({ lookups, answers }: { lookups: Lookups; answers: Answers }): RequestHandler =>
  async (request, response) => {
    const wish = searchWishOf(new Query(request.url))
    const { results, incomplete } = await lookups.search(askerOf(response), wish)
    answers.json(response, 200, results, incomplete.length > 0 ? { 'X-Search-Incomplete': incomplete.join(', ') } : {})
  }
