import type { RequestHandler } from 'express'
import type { VideoMetadata } from '#contracts/generated/http.ts'
import type { FailureCode } from '#packages/domain/job/failure.ts'
import { invalidRequest, ServiceError } from '#packages/errors/service-error.ts'
import { StepError } from '#packages/errors/step-error.ts'
import type { Answers } from '../answer.ts'
import type { IngressOptions } from '../options.ts'
import { type Sources, sourceOf } from '../video-source.ts'
import { callerOf } from '../visit.ts'

const MAX_URL_LENGTH = 2048

/**
 * The one value of a query parameter.
 * @throws ServiceError invalid_request where it is missing, empty or given twice
 */
function queryParameter(requestUrl: string, name: string): string {
  const [, query = ''] = requestUrl.split(/\?(.*)/s)
  const [value = '', ...more] = new URLSearchParams(query).getAll(name)
  if (more.length > 0) throw invalidRequest({ path: name, message: 'must be given once' })
  if (value === '') throw invalidRequest({ path: name, message: 'is required' })
  return value
}

const notThere: readonly FailureCode[] = [
  'video_unavailable',
  'video_private',
  'age_restricted',
  'geo_blocked',
  'login_required',
]
const notReadable: readonly FailureCode[] = ['media_unsupported', 'media_too_large', 'media_too_long', 'live_not_ended']

/** What a failed read is answered with: the caller's URL, the video, or the platform is at fault. */
function errorOfRead(platform: string, error: unknown): unknown {
  const timedOut = error instanceof DOMException && error.name === 'TimeoutError'
  if (!(error instanceof StepError) && !timedOut) return error
  const code = error instanceof StepError ? error.code : 'timeout'
  const message = timedOut ? 'The platform did not answer in time.' : error.message
  if (notReadable.includes(code)) return invalidRequest({ path: 'url', message: `cannot be read: ${message}` })
  const kind = notThere.includes(code) ? 'not_found' : 'upstream_error'
  return new ServiceError(kind, message, { details: { platform, code }, cause: error })
}

/** Reads under way: at most one of a video, and a bounded number in all and of one organization. */
class Reads {
  readonly #underWay = new Map<string, Promise<VideoMetadata>>()
  readonly #ofOrganization = new Map<string, number>()
  readonly #limits: { maxMetadataReads: number; maxMetadataReadsPerOrganization: number }

  constructor(limits: { maxMetadataReads: number; maxMetadataReadsPerOrganization: number }) {
    this.#limits = limits
  }

  /** @throws ServiceError unavailable where too many are under way */
  share(key: string, orgId: string, read: () => Promise<VideoMetadata>): Promise<VideoMetadata> {
    const shared = this.#underWay.get(key)
    if (shared !== undefined) return shared
    const own = this.#ofOrganization.get(orgId) ?? 0
    const { maxMetadataReads, maxMetadataReadsPerOrganization } = this.#limits
    if (this.#underWay.size >= maxMetadataReads || own >= maxMetadataReadsPerOrganization) {
      throw new ServiceError('unavailable', 'Too many videos are being read; try again.', { retryAfterSeconds: 1 })
    }
    this.#ofOrganization.set(orgId, own + 1)
    const reading = read().finally(() => this.#ended(key, orgId))
    this.#underWay.set(key, reading)
    return reading
  }

  #ended(key: string, orgId: string): void {
    this.#underWay.delete(key)
    const left = (this.#ofOrganization.get(orgId) ?? 1) - 1
    if (left > 0) this.#ofOrganization.set(orgId, left)
    else this.#ofOrganization.delete(orgId)
  }
}

type MetadataOptions = Pick<
  IngressOptions,
  'metadataTimeoutMs' | 'maxMetadataReads' | 'maxMetadataReadsPerOrganization'
>

/** GET /v1/metadata. Who asks for the same video at the same time shares one read. */
export function getMetadata(
  { sources, answers }: { sources: Sources; answers: Answers },
  options: MetadataOptions,
): RequestHandler {
  const reads = new Reads(options)
  return async (request, response) => {
    const url = queryParameter(request.url, 'url')
    if (url.length > MAX_URL_LENGTH) {
      throw invalidRequest({ path: 'url', message: `must have at most ${MAX_URL_LENGTH} characters` })
    }
    const { video, source } = sourceOf(sources, url)
    const metadata = await reads.share(video.canonical, callerOf(response).orgId, () =>
      source
        .metadata(video.canonical, AbortSignal.timeout(options.metadataTimeoutMs))
        .catch((error: unknown) => Promise.reject(errorOfRead(video.platform, error))),
    )
    answers.json(response, 200, metadata)
  }
}
