import type { Caller } from '#packages/accounts/keys/caller.ts'
import { Semaphore } from '#packages/foundation/concurrency/semaphore.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { IngressOptions } from '../options.ts'

const RETRY_AFTER_SECONDS = 1

/** Limits how many lasting answers are open at once: per key, per organization, and in total. */
export class ConcurrencyLimit {
  readonly #limits: IngressOptions['maxLastingAnswers']
  readonly #permits: Semaphore
  readonly #telemetry: Telemetry

  constructor(telemetry: Telemetry, { maxLastingAnswers }: Pick<IngressOptions, 'maxLastingAnswers'>) {
    this.#telemetry = telemetry
    this.#limits = maxLastingAnswers
    this.#permits = new Semaphore(maxLastingAnswers.inAll)
  }

  /**
   * @returns a function to be called once, when they have ended
   * @throws ServiceError rate_limited if the caller has too many, unavailable if there are too many in total
   */
  begin({ keyId, orgId }: Pick<Caller, 'keyId' | 'orgId'>, count: number): () => void {
    const { perKey, perOrganization } = this.#limits
    this.#assertRoom(keyId, count, perKey, 'key')
    this.#assertRoom(orgId, count, perOrganization, 'organization')
    const shares = [
      { name: keyId, most: perKey },
      { name: orgId, most: perOrganization },
    ]
    const permits = this.#permits.tryAcquire(shares, count)
    if (permits !== undefined) return () => permits[Symbol.dispose]()
    throw new ServiceError('unavailable', 'Too many calls and event streams are open.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }

  #assertRoom(name: string, count: number, limit: number, of: string): void {
    if (this.#permits.heldBy(name) + count <= limit) return
    this.#telemetry.add(metrics.requestsLimited, 1, { [names.limit]: 'concurrency' })
    const message = `Of one ${of}, ${limit} calls or event streams are answered at once; wait for one to end.`
    throw new ServiceError('rate_limited', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
  }
}
