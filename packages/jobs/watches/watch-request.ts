import type { WatchChanges } from '#contracts/generated/http.ts'
import { invalidRequest } from '#packages/foundation/errors/service-error.ts'
import { isNewWatchRequest, isWatchChanges } from '#packages/foundation/validation/body-validators.ts'
import { validated } from '#packages/foundation/validation/validated.ts'
import { type RequestParts, requestWithoutUrl } from '#packages/jobs/acceptance/request-without-url.ts'
import { parseSource } from '#packages/platforms/sources/source.ts'
import type { WatchApplication } from './watches.ts'

/** The watch that a NewWatchRequest of the contracts requests. @throws ServiceError invalid_request, unavailable */
export async function watchRequestOf(body: unknown, orgId: string, parts: RequestParts): Promise<WatchApplication> {
  const { source, every, then, maxCreditsPerMonth = null, backfill = 0 } = validated(isNewWatchRequest, body)
  if (then === undefined && maxCreditsPerMonth !== null)
    throw invalidRequest({ path: 'maxCreditsPerMonth', message: 'requires then' })
  const request = then === undefined ? null : await requestWithoutUrl(then, { orgId, path: 'then.options' }, parts)
  return { source: parseSource(source), every, request, maxCreditsPerMonth, backfill }
}

export const watchChangesOf = (body: unknown): WatchChanges => validated(isWatchChanges, body)
