import type { RequestHandler } from 'express'
import { sumUsage, type UsageQuestion, usageGroups } from '#packages/accounts/ledger/sum-usage.ts'
import { Query } from '#packages/foundation/validation/query.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Views } from '#packages/ports/views.ts'
import type { Answers } from '../answers/answers.ts'
import type { IngressOptions } from '../options.ts'
import { callerOf } from '../requests/request-context.ts'

/** @throws ServiceError invalid_request */
function questionOf(requestUrl: string): UsageQuestion {
  const query = new Query(requestUrl)
  return { from: query.day('from'), to: query.day('to'), groupBy: query.oneOf('groupBy', usageGroups) ?? 'day' }
}

/** GET /v1/usage */
export const getUsage =
  (
    { views, clock, answers }: { views: Views; clock: Clock; answers: Answers },
    { retentionDays }: Pick<IngressOptions, 'retentionDays'>,
  ): RequestHandler =>
  async (request, response) => {
    const { orgId } = callerOf(response)
    const times = { now: clock.now(), retentionDays }
    answers.json(response, 200, await sumUsage(views, orgId, questionOf(request.url), times))
  }
