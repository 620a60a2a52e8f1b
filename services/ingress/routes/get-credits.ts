import type { RequestHandler } from 'express'
import type { OrganizationDetails } from '#packages/accounts/organizations/organization-details.ts'
import type { Answers } from '../answers/answers.ts'
import { callerOf } from '../requests/request-context.ts'

/** GET /v1/credits */
export const getCredits =
  ({ details, answers }: { details: OrganizationDetails; answers: Answers }): RequestHandler =>
  async (_request, response) =>
    answers.json(response, 200, await details.credits(callerOf(response).orgId))
