import type { RequestHandler } from 'express'
import { ServiceError } from '#packages/errors/service-error.ts'
import { platformNames } from '#packages/platforms/registry.ts'
import { type Search, SearchNotConfigured } from '#packages/platforms/search/search.ts'
import type { Answers } from '../answers/answer.ts'
import type { OutsideReads } from '../outside-reads.ts'
import { Query } from '../requests/query.ts'
import type { Sources } from './sources.ts'

const MAX_QUERY_LENGTH = 500
const limits = { min: 1, max: 20, fallback: 6 }

function wishOf(requestUrl: string): Parameters<Search>[0] {
  const query = new Query(requestUrl)
  const q = query.requiredText('q', MAX_QUERY_LENGTH)
  return { q, platform: query.oneOf('platform', platformNames), limit: query.integer('limit', limits) }
}

/** GET /v1/search. Platforms that could not be asked are named in `X-Search-Incomplete`. */
export const getSearch =
  ({ sources, reads, answers }: { sources: Sources; reads: OutsideReads; answers: Answers }): RequestHandler =>
  async (request, response) => {
    const wish = wishOf(request.url)
    const what = { key: `search ${JSON.stringify(wish)}`, platform: wish.platform, field: 'q' }
    const { results, incomplete } = await reads.run(response, what, (reading) =>
      sources.search(wish, reading).catch((error: unknown) => Promise.reject(configurable(error))),
    )
    answers.json(response, 200, results, incomplete.length > 0 ? { 'X-Search-Incomplete': incomplete.join(', ') } : {})
  }

/** What is not configured is the operator's to mend: the message says how. */
const configurable = (error: unknown): unknown =>
  error instanceof SearchNotConfigured ? new ServiceError('unavailable', error.message) : error
