import type { RequestHandler } from 'express'
import type { Lookups } from '#packages/lookups/lookups.ts'
import { inclusions } from '#packages/platforms/videos/video-source.ts'
import type { Answers } from '../answers/answers.ts'
import { Query } from '../requests/query.ts'
import { askerOf } from '../requests/request-context.ts'

const MAX_URL_LENGTH = 2048

/** GET /v1/metadata */
export const getMetadata =
  ({ lookups, answers }: { lookups: Lookups; answers: Answers }): RequestHandler =>
  async (request, response) => {
    const query = new Query(request.url)
    const url = query.requiredText('url', MAX_URL_LENGTH)
    const include = query.someOf('include', inclusions)
    answers.json(response, 200, await lookups.metadata(askerOf(response), url, include))
  }
