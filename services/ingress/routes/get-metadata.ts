import type { RequestHandler } from 'express'
import { Query } from '#packages/foundation/validation/query.ts'
import type { Lookups } from '#packages/platforms/lookups/lookups.ts'
import { metadataQuestionOf } from '#packages/platforms/lookups/questions.ts'
import type { Answers } from '../answers/answers.ts'
import { askerOf } from '../requests/request-context.ts'

/** GET /v1/metadata. `X-Metadata-Incomplete` names the fields that could not be read. */
export const getMetadata =
  ({ lookups, answers }: { lookups: Lookups; answers: Answers }): RequestHandler =>
  async (request, response) => {
    const { url, include } = metadataQuestionOf(new Query(request.url))
    const { metadata, missing } = await lookups.metadata(askerOf(response), url, include)
    answers.json(response, 200, metadata, missing.length > 0 ? { 'X-Metadata-Incomplete': missing.join(', ') } : {})
  }
