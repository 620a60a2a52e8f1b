import { ServiceError } from '#packages/errors/service-error.ts'
import type { Caller } from '#packages/keys/caller.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { IngressOptions } from '../options.ts'

const RETRY_AFTER_SECONDS = 1

/** Limits how many lasting answers are open at once: per key, per organization, and in total. */
export class ConcurrencyLimit {
  readonly #limits: IngressOptions['maxLastingAnswers']
  readonly #open = new Map<string, number>()
  #inAll = 0
  readonly #telemetry: Telemetry

  constructor(telemetry: Telemetry, { maxLastingAnswers }: Pick<IngressOptions, 'maxLastingAnswers'>) {
    this.#telemetry = telemetry
    this.#limits = maxLastingAnswers
  }

  /**
   * @returns a function to be called once, when they have ended
   * @throws ServiceError rate_limited if the caller has too many, unavailable if there are too many in total
   */
  begin({ keyId, orgId }: Pick<Caller, 'keyId' | 'orgId'>, count: number): () => void {
    if (count === 0) return () => {}
    const { perKey, perOrganization, inAll } = this.#limits
    this.#assertRoom(keyId, count, perKey, 'key')
    this.#assertRoom(orgId, count, perOrganization, 'organization')
    if (this.#inAll + count > inAll)
      throw new ServiceError('unavailable', 'Too many calls and event streams are open.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    const add = (change: number): void => {
      this.#inAll += change
      for (const name of [keyId, orgId]) this.#add(name, change)
    }
    add(count)
    return () => add(-count)
  }

  #assertRoom(name: string, count: number, limit: number, of: string): void {
    if ((this.#open.get(name) ?? 0) + count <= limit) return
    this.#telemetry.add(metrics.requestsLimited, 1, { [names.limit]: 'concurrency' })
    const message = `Of one ${of}, ${limit} calls or event streams are answered at once; wait for one to end.`
    throw new ServiceError('rate_limited', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
  }

  #add(name: string, count: number): void {
    const open = (this.#open.get(name) ?? 0) + count
    if (open === 0) this.#open.delete(name)
    else this.#open.set(name, open)
  }
}
