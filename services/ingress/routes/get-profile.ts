import type { RequestHandler } from 'express'
import { Query } from '#packages/foundation/validation/query.ts'
import type { Lookups } from '#packages/platforms/lookups/lookups.ts'
import { profileQuestionOf } from '#packages/platforms/lookups/questions.ts'
import type { ProfilePlatform } from '#packages/platforms/registry.ts'
import type { Answers } from '../answers/answers.ts'
import { nextLink } from '../answers/next-link.ts'
import { askerOf } from '../requests/request-context.ts'

/** GET /v1/{platform}/profile. A `Link` leads to the next page of its videos if the platform has one. */
export const getProfile =
  ({ lookups, answers }: { lookups: Lookups; answers: Answers }, platform: ProfilePlatform): RequestHandler =>
  async (request, response) => {
    const question = profileQuestionOf(new Query(request.url))
    const { profile, nextCursor } = await lookups.profile(askerOf(response), platform, question)
    answers.json(response, 200, profile, nextLink(request.url, nextCursor))
  }
