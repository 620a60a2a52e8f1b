import { queryIn } from '#packages/foundation/validation/query.ts'

/** The header that links to the next page of an answer (RFC 8288): the same request with the cursor of that page. */
export function nextLink(requestUrl: string, nextCursor: string | null): Record<string, string> {
  if (nextCursor === null) return {}
  const query = new URLSearchParams(queryIn(requestUrl))
  query.set('cursor', nextCursor)
  return { Link: `<?${query}>; rel="next"` }
}
