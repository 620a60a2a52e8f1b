import type { RequestHandler } from 'express'
import { csvOf } from '#packages/accounts/ledger/csv.ts'
import { listTransactions } from '#packages/accounts/ledger/list-transactions.ts'
import { Query } from '#packages/foundation/validation/query.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import type { Answers } from '../answers/answers.ts'
import { preferredType } from '../answers/preferred-type.ts'
import { callerOf } from '../requests/request-context.ts'

const limits = { min: 1, max: 500, fallback: 100 }
const MAX_CURSOR_LENGTH = 32

const CSV = 'text/csv'

/** GET /v1/credits/transactions; `Accept: text/csv` asks for CSV. */
export const getTransactions =
  ({ store, answers }: { store: EventStore; answers: Answers }): RequestHandler =>
  async (request, response) => {
    const query = new Query(request.url)
    const limit = query.integer('limit', limits)
    const question = { cursor: query.text('cursor', MAX_CURSOR_LENGTH), limit }
    const page = await listTransactions(store, callerOf(response).orgId, question)
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
