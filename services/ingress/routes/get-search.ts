import type { RequestHandler } from 'express'
import { Query } from '#packages/foundation/validation/query.ts'
import type { Lookups } from '#packages/platforms/lookups/lookups.ts'
import { searchQuestionOf } from '#packages/platforms/lookups/questions.ts'
import type { Answers } from '../answers/answers.ts'
import { nextLink } from '../answers/next-link.ts'
import { askerOf } from '../requests/request-context.ts'

/**
 * GET /v1/search. `X-Search-Incomplete` names the platforms that could not be searched. A search of one platform has a
 * `Link` to its next page.
 */
export const getSearch =
  ({ lookups, answers }: { lookups: Lookups; answers: Answers }): RequestHandler =>
  async (request, response) => {
    const question = searchQuestionOf(new Query(request.url))
    const { results, incomplete, nextCursor } = await lookups.search(askerOf(response), question)
    answers.json(response, 200, results, {
      ...(incomplete.length > 0 && { 'X-Search-Incomplete': incomplete.join(', ') }),
      ...nextLink(request.url, nextCursor),
    })
  }
