import { Semaphore } from '#packages/foundation/concurrency/semaphore.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { Reading } from '#packages/platforms/reading/reading.ts'
import type { Asker } from './asker.ts'

export type ReadLimits = {
  /** Time limit of one read, milliseconds. */
  readTimeoutMs: number
  /** Reads under way at once. */
  maxReads: number
  /** The most reads of one organization under way at once: slow hosts of one customer leave room for the others. */
  maxReadsPerOrganization: number
}

/**
 * Reads from the outside that a caller waits for. Bounds their time, their number, and their number per organization.
 * Requests of one organization for the same thing share one read.
 */
export class BoundedReads {
  readonly #underWay = new Map<string, Promise<unknown>>()
  readonly #permits: Semaphore
  readonly #limits: ReadLimits

  constructor(limits: ReadLimits) {
    this.#limits = limits
    this.#permits = new Semaphore(limits.maxReads)
  }

  /**
   * @param what identifies the read: equal for requests that can share one
   * @throws ServiceError unavailable if too many are under way; what the read throws
   */
  run<T>(
    { orgId, requestId, isOptional = false }: Asker,
    what: string,
    read: (reading: Reading) => Promise<T>,
  ): Promise<T> {
    const key = `${orgId} ${what}`
    const shared = this.#underWay.get(key)
    if (shared !== undefined) return shared as Promise<T>
    const permit = this.#permits.tryAcquire([{ name: orgId, most: this.#limits.maxReadsPerOrganization }])
    if (permit === undefined)
      throw new ServiceError('unavailable', 'Too much is being read at once; try again.', { retryAfterSeconds: 1 })
    // AbortSignal.timeout() would keep its timer after the read, and nearly all reads are cached and end at once.
    const over = new AbortController()
    const late = setTimeout(() => over.abort(timedOut()), this.#limits.readTimeoutMs).unref()
    const reading = read({
      owner: requestId,
      organization: orgId,
      refusals: 0,
      isOptional,
      signal: over.signal,
    }).finally(() => {
      clearTimeout(late)
      this.#underWay.delete(key)
      permit[Symbol.dispose]()
    })
    this.#underWay.set(key, reading)
    return reading
  }
}

const timedOut = (): DOMException => new DOMException('The read took too long.', 'TimeoutError')
