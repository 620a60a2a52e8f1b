import type { Request, Response } from 'express'
import { csvOf } from '#packages/accounts/ledger/csv.ts'
import { listTransactions } from '#packages/accounts/ledger/list-transactions.ts'
import { sumUsage, type UsageQuestion, usageGroups } from '#packages/accounts/ledger/sum-usage.ts'
import { Query } from '#packages/foundation/validation/query.ts'
import type { Work } from '../answers/answers.ts'
import { preferredType } from '../answers/preferred-type.ts'
import type { Operations } from '../authentication/permit.ts'
import type { IngressOptions } from '../options.ts'
import { orgOf } from '../requests/request-context.ts'
import { type Answering, lightOperations, type RouteParts } from './route-parts.ts'

type Parts = Answering & Pick<RouteParts, 'details' | 'store' | 'views' | 'clock'>

const limits = { min: 1, max: 500, fallback: 100 }
const MAX_CURSOR_LENGTH = 32

const CSV = 'text/csv'

/** The operations on the caller's organization and its credits, by path below /v1. */
export function accountOperations(
  parts: Parts,
  { retentionDays }: Pick<IngressOptions, 'retentionDays'>,
): Record<string, Operations> {
  const { details, views, clock, rates } = parts
  const light = lightOperations(parts)
  const reads = (work: Work): Operations => ({ GET: light('read', 200, work) })
  return {
    '/me': reads((_request, response) => details.show(orgOf(response))),
    '/usage': reads((request, response) => {
      const times = { now: clock.now(), retentionDays }
      return sumUsage(views, orgOf(response), usageQuestionOf(request.url), times)
    }),
    '/credits': reads((_request, response) => details.credits(orgOf(response))),
    '/credits/transactions': {
      GET: {
        scope: 'read',
        limit: rates.light,
        answer: (request, response) => answerTransactions(parts, request, response),
      },
    },
  }
}

/** @throws ServiceError invalid_request */
function usageQuestionOf(requestUrl: string): UsageQuestion {
  const query = new Query(requestUrl)
  return { from: query.day('from'), to: query.day('to'), groupBy: query.oneOf('groupBy', usageGroups) ?? 'day' }
}

/** GET /v1/credits/transactions; `Accept: text/csv` asks for CSV. */
async function answerTransactions({ store, answers }: Parts, request: Request, response: Response): Promise<void> {
  const query = new Query(request.url)
  const limit = query.integer('limit', limits)
  const question = { cursor: query.text('cursor', MAX_CURSOR_LENGTH), limit }
  const page = await listTransactions(store, orgOf(response), question)
  const headers = {
    Vary: 'Accept',
    // CSV has no other place for the cursor.
    ...(page.nextCursor !== null && { Link: `<?cursor=${page.nextCursor}&limit=${limit}>; rel="next"` }),
  }
  if (preferredType(request.headers, ['application/json', CSV]) !== CSV)
    return answers.json(response, 200, page, headers)
  const csv = { 'Content-Type': `${CSV}; charset=utf-8`, 'X-Content-Type-Options': 'nosniff' }
  answers.text(response, 200, csvOf(page.transactions), { ...headers, ...csv })
}
