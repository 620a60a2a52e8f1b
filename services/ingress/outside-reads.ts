import type { Response } from 'express'
import type { FailureCode } from '#packages/domain/job/failure.ts'
import { invalidRequest, ServiceError } from '#packages/errors/service-error.ts'
import { StepError } from '#packages/errors/step-error.ts'
import type { Reading } from '#packages/platforms/reading/reading.ts'
import { SearchFailed } from '#packages/platforms/search/search.ts'
import { LeadsElsewhereError } from '#packages/platforms/urls/resolve-short-link.ts'
import type { IngressOptions } from './options.ts'
import { callerOf, visitOf } from './requests/visit.ts'

const notThere: readonly FailureCode[] = [
  'video_unavailable',
  'video_private',
  'age_restricted',
  'geo_blocked',
  'login_required',
]
const notReadable: readonly FailureCode[] = ['media_unsupported', 'media_too_large', 'media_too_long', 'live_not_ended']

type Limits = Pick<IngressOptions, 'readTimeoutMs' | 'maxReads' | 'maxReadsPerOrganization'>

/** What is read, for the error that tells of it. */
export type ReadOf = {
  /** The same for requests that want the same. */
  key: string
  /** Whose it is; undefined where several are asked. */
  platform: string | undefined
  /** The field of the request that names it. */
  field: string
}

/**
 * Reads of the outside that a caller waits for: bounded in time, in number, and in number for each organization. Those
 * of one organization that want the same share one.
 */
export class OutsideReads {
  readonly #underWay = new Map<string, Promise<unknown>>()
  readonly #ofOrganization = new Map<string, number>()
  readonly #limits: Limits

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** @throws ServiceError unavailable where too many are under way; what a failed read is answered with */
  run<T>(response: Response, what: ReadOf, read: (reading: Reading) => Promise<T>): Promise<T> {
    const { orgId } = callerOf(response)
    const key = `${orgId} ${what.key}`
    const shared = this.#underWay.get(key)
    if (shared !== undefined) return shared as Promise<T>
    this.#assertRoom(orgId)
    this.#ofOrganization.set(orgId, (this.#ofOrganization.get(orgId) ?? 0) + 1)
    const { requestId: owner } = visitOf(response)
    const reading = read({
      owner,
      organization: orgId,
      refusals: 0,
      signal: AbortSignal.timeout(this.#limits.readTimeoutMs),
    })
      .catch((error: unknown) => Promise.reject(errorOfRead(what, error)))
      .finally(() => this.#ended(key, orgId))
    this.#underWay.set(key, reading)
    return reading
  }

  #assertRoom(orgId: string): void {
    const { maxReads, maxReadsPerOrganization } = this.#limits
    const own = this.#ofOrganization.get(orgId) ?? 0
    if (this.#underWay.size < maxReads && own < maxReadsPerOrganization) return
    throw new ServiceError('unavailable', 'Too much is being read at once; try again.', { retryAfterSeconds: 1 })
  }

  #ended(key: string, orgId: string): void {
    this.#underWay.delete(key)
    const left = (this.#ofOrganization.get(orgId) ?? 1) - 1
    if (left > 0) this.#ofOrganization.set(orgId, left)
    else this.#ofOrganization.delete(orgId)
  }
}

/** What a failed read is answered with: the caller's request, what it asks for, or the platform is at fault. */
function errorOfRead({ platform, field }: ReadOf, error: unknown): unknown {
  if (error instanceof LeadsElsewhereError) return invalidRequest({ path: field, message: error.reason })
  const timedOut = error instanceof DOMException && error.name === 'TimeoutError'
  if (!(error instanceof StepError) && !timedOut) return error
  const code = error instanceof StepError ? error.code : 'timeout'
  const message = timedOut ? 'The platform did not answer in time.' : error.message
  if (notReadable.includes(code)) return invalidRequest({ path: field, message: `cannot be read: ${message}` })
  const details = { platform: (error instanceof SearchFailed ? error.platform : platform) ?? null, code }
  const kind = notThere.includes(code) ? 'not_found' : 'upstream_error'
  const wait = error instanceof StepError ? error.retryAfterSeconds : undefined
  return new ServiceError(kind, message, { details, cause: error, ...(wait ? { retryAfterSeconds: wait } : {}) })
}
