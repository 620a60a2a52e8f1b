import type { RequestHandler } from 'express'
import type { Organization } from '#contracts/generated/http.ts'
import type { Ledgers } from '#packages/ledger/ledgers.ts'
import type { Remembered } from '#packages/work/remembered.ts'
import type { Answers } from '../answers/answer.ts'
import { callerOf } from '../requests/visit.ts'

/** GET /v1/me: the balance is folded from the ledger itself, never from a view. */
export const getMe =
  ({ ledgers, names, answers }: { ledgers: Ledgers; names: Remembered<string>; answers: Answers }): RequestHandler =>
  async (_request, response) => {
    const { orgId } = callerOf(response)
    const [{ balance }, name] = await Promise.all([ledgers.current(orgId), names.get(orgId)])
    answers.json(response, 200, { orgId, name, creditsRemaining: balance } satisfies Organization)
  }
