import { invalidRequest, ServiceError } from '#packages/foundation/errors/service-error.ts'
import { type ExtractParts, extractRequestOf } from './extract-request.ts'
import type { JobRequest } from './job-request.ts'
import { type TranscriptParts, transcriptRequestOf } from './transcript-request.ts'

export type RequestParts = TranscriptParts & ExtractParts

/** A request for each of many videos: the fields of a request for one job, except those for a single job. */
export type SharedRequest = { operation: 'transcript' | 'extraction'; options?: Record<string, unknown> }

/** A placeholder for the videos that are not known yet. */
const ANY_VIDEO = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'

const ofOneJob = ['url', 'webhookUrl', 'reuse']

/**
 * A JobRequest that lacks only its URL.
 * @param path of the options in the caller's body, for errors
 * @throws ServiceError invalid_request, unavailable
 */
export async function requestWithoutUrl(
  { operation, options = {} }: SharedRequest,
  { orgId, path }: { orgId: string; path: string },
  parts: RequestParts,
): Promise<Omit<JobRequest, 'url'>> {
  for (const name of ofOneJob)
    if (name in options) throw invalidRequest({ path: `${path}.${name}`, message: 'must not be given here' })
  const body = { ...options, url: ANY_VIDEO }
  try {
    const asked =
      operation === 'transcript' ? transcriptRequestOf(body, parts) : await extractRequestOf(body, orgId, parts)
    const { url: _, ...request } = asked
    return request
  } catch (error) {
    throw within(path, error)
  }
}

/** The options that a request came from, without defaults. */
export function sharedRequestOf({ kind, mode, lang, prompt, schema, options }: Omit<JobRequest, 'url'>): {
  operation: SharedRequest['operation']
  options: Record<string, unknown>
} {
  const given = { mode, lang, prompt, schema, ...options }
  const asked = Object.entries(given).filter(([, value]) => value !== null && value !== false)
  return { operation: kind, options: Object.fromEntries(asked) }
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
