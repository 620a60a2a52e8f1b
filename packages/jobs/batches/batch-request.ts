import type { NewBatchRequest } from '#contracts/generated/http.ts'
import { invalidRequest, ServiceError } from '#packages/foundation/errors/service-error.ts'
import { isNewBatchRequest } from '#packages/foundation/validation/body-validators.ts'
import { instantOf } from '#packages/foundation/validation/instant.ts'
import { validated } from '#packages/foundation/validation/validated.ts'
import { type RequestParts, requestWithoutUrl } from '#packages/jobs/acceptance/request-without-url.ts'
import { parseSource } from '#packages/platforms/sources/source.ts'
import type { BatchApplication } from './accept-batch.ts'
import type { LineProblem, ParsedBody } from './body/parse-body.ts'

/** The request in a body. */
export type AskedBatch = Pick<
  BatchApplication,
  'request' | 'videos' | 'source' | 'maxCredits' | 'skippedLines' | 'tellsItems'
>

/** Placeholder for the requests of a body, which are checked separately. */
const anyRequests = ['https://www.youtube.com/watch?v=dQw4w9WgXcQ']

/**
 * The batch that a NewBatchRequest of the contracts requests.
 * @param mostItems as the plan allows
 * @throws ServiceError invalid_request, with `details` that name invalid lines by `line`; forbidden (the plan),
 *   unavailable
 */
export async function batchRequestOf(
  { shared, given, videos, problems }: ParsedBody,
  { orgId, mostItems }: { orgId: string; mostItems: number },
  parts: RequestParts,
): Promise<AskedBatch> {
  const body = given === null ? shared : { ...(shared as object), requests: given === 0 ? [] : anyRequests }
  const asked = validated(isNewBatchRequest, body)
  const { operation, options, maxCredits = null, skipInvalid = false, itemWebhooks = false } = asked
  const source = sourceIn(asked)
  const items = source?.limit ?? given ?? 0
  if (items > mostItems) throw tooMany(items, mostItems)
  if (problems.length > 0 && !skipInvalid) throw invalidLines(problems)
  const request = await requestWithoutUrl({ operation, options: options ?? {} }, { orgId, path: 'options' }, parts)
  return { request, videos, source, maxCredits, skippedLines: problems.length, tellsItems: itemWebhooks }
}

/** The source that lists the videos. Null: the request names them. @throws ServiceError invalid_request */
function sourceIn({ requests, source, limit, since }: NewBatchRequest): AskedBatch['source'] {
  if (source === undefined) {
    if (requests === undefined) throw invalidRequest({ path: 'requests', message: 'is required if no source is given' })
    for (const [path, value] of Object.entries({ limit, since }))
      if (value !== undefined) throw invalidRequest({ path, message: 'requires source' })
    return null
  }
  if (requests !== undefined) throw invalidRequest({ path: 'source', message: 'cannot be combined with requests' })
  if (limit === undefined) throw invalidRequest({ path: 'limit', message: 'is required with source' })
  return { from: parseSource(source), limit, since: since === undefined ? null : instantIn(since) }
}

function instantIn(since: string): number {
  const instant = instantOf(since)
  if (instant !== undefined) return instant
  throw invalidRequest({ path: 'since', message: 'must be a time such as 2026-11-21T18:00:00Z' })
}

const tooMany = (items: number, mostItems: number): ServiceError =>
  new ServiceError('forbidden', `This plan allows ${mostItems} items in a batch.`, {
    details: { reason: 'plan', required: items, remaining: mostItems },
  })

/** `details` names all invalid lines; the message names only the first. */
const invalidLines = (problems: readonly LineProblem[]): ServiceError => {
  const [first] = problems
  const more = problems.length > 1 ? `, and ${problems.length - 1} more` : ''
  const message = `line ${first?.line} ${first?.message}${more}; with skipInvalid such lines are left out.`
  return new ServiceError('invalid_request', message, { details: problems })
}
