import type { RequestHandler } from 'express'
import type { OrganizationDetails } from '#packages/accounts/organizations/organization-details.ts'
import type { Answers } from '../answers/answers.ts'
import { callerOf } from '../requests/request-context.ts'

/** GET /v1/me */
export const getMe =
  ({ details, answers }: { details: OrganizationDetails; answers: Answers }): RequestHandler =>
  async (_request, response) =>
    answers.json(response, 200, await details.show(callerOf(response).orgId))
