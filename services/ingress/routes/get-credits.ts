import type { RequestHandler } from 'express'
import type { Accounts } from '#packages/organizations/accounts.ts'
import type { Answers } from '../answers/answers.ts'
import { callerOf } from '../requests/request-context.ts'

/** GET /v1/credits */
export const getCredits =
  ({ accounts, answers }: { accounts: Accounts; answers: Answers }): RequestHandler =>
  async (_request, response) =>
    answers.json(response, 200, await accounts.credits(callerOf(response).orgId))
