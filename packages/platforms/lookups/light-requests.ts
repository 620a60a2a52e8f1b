import type { Query } from '#packages/foundation/validation/query.ts'
import { listLimits } from './questions.ts'

/** Videos of a YouTube list per light request. */
const VIDEOS_PER_REQUEST = 30

/** How many light requests of the rate limits a list counts as: one for each 30 videos that it may have. */
export function lightRequestsOf(query: Query): number {
  const limit = Number(query.any('limit') ?? listLimits.fallback)
  return limit >= 1 && limit <= listLimits.max ? Math.ceil(limit / VIDEOS_PER_REQUEST) : 1
}
