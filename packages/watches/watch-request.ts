import { type ExtractParts, extractRequestOf } from '#packages/acceptance/extract-request.ts'
import type { JobRequest } from '#packages/acceptance/job-request.ts'
import { type TranscriptParts, transcriptRequestOf } from '#packages/acceptance/transcript-request.ts'
import { invalidRequest, ServiceError } from '#packages/errors/service-error.ts'
import { parseSource } from '#packages/sources/source.ts'
import { isNewWatchRequest, isWatchChanges } from '#packages/validation/body-validators.ts'
import { validated } from '#packages/validation/validated.ts'
import type { WatchApplication, WatchChanges } from './watches.ts'

export type WatchRequestParts = TranscriptParts & ExtractParts

/** Stands for the videos that will be found. */
const ANY_VIDEO = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'

/** Fields of a request for one job that a watch has itself, or that make no sense for what is new. */
const notThere = ['url', 'webhookUrl', 'reuse']

/** The watch that a NewWatchRequest of the contracts asks for. @throws ServiceError invalid_request, unavailable */
export async function watchRequestOf(
  body: unknown,
  orgId: string,
  parts: WatchRequestParts,
): Promise<WatchApplication> {
  const { source, every, then, maxCreditsPerMonth = null, backfill = 0 } = validated(isNewWatchRequest, body)
  if (then === undefined && maxCreditsPerMonth !== null)
    throw invalidRequest({ path: 'maxCreditsPerMonth', message: 'is of no use without then' })
  const request = then === undefined ? null : await jobRequestOf(then, orgId, parts)
  return { source: parseSource(source), every, request, maxCreditsPerMonth, backfill }
}

export const watchChangesOf = (body: unknown): WatchChanges => validated(isWatchChanges, body)

/** What is asked for each video. @throws ServiceError that names the field within `then.options` */
async function jobRequestOf(
  { operation, options = {} }: { operation: 'transcript' | 'extraction'; options?: Record<string, unknown> },
  orgId: string,
  parts: WatchRequestParts,
): Promise<Omit<JobRequest, 'url'>> {
  for (const name of notThere)
    if (name in options) throw invalidRequest({ path: `then.options.${name}`, message: 'must not be given here' })
  const body = { ...options, url: ANY_VIDEO }
  try {
    const asked =
      operation === 'transcript' ? transcriptRequestOf(body, parts) : await extractRequestOf(body, orgId, parts)
    const { url: _, ...request } = asked
    return request
  } catch (error) {
    throw within('then.options', error)
  }
}

/** The same error, about fields of a part of the body. */
function within(part: string, error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'invalid_request' || !Array.isArray(error.details))
    return error
  const [first, ...more] = (error.details as { path: string; message: string }[]).map(({ path, ...problem }) => ({
    ...problem,
    path: `${part}.${path}`,
  }))
  return first === undefined ? error : invalidRequest(first, ...more)
}
