import { Semaphore } from '#packages/work/semaphore.ts'
import type { OnWait } from '#packages/work/single-flight.ts'
import type { EgressBackend } from './egress.ts'

export type RequestPermitLimits = {
  /** Requests under way at one time, from the wait for their connection to the end of their answer. */
  maxRequests?: number
  /** Limit for one organization: others always find room. */
  maxRequestsOfOrganization?: number
  /** Limit for one organization to one host. */
  maxRequestsToHost?: number
}

/** Requests that may wait for a permit. How many come from one organization is bounded by its steps and reads. */
const MAX_WAITING = 1_000

/** Permits for requests under way, by organization; undefined: an operator. */
export function requestPermits({
  maxRequests = 256,
  maxRequestsOfOrganization = 32,
  maxRequestsToHost = 8,
}: RequestPermitLimits = {}): (
  organization: string | undefined,
  onWait: OnWait | undefined,
) => EgressBackend['permit'] {
  const permits = new Semaphore(maxRequests, { maxWaiting: MAX_WAITING })
  return (organization = 'operators', onWait) =>
    (host, signal) =>
      permits.acquire(
        signal,
        [
          { name: organization, most: maxRequestsOfOrganization },
          { name: `${organization} at ${host}`, most: maxRequestsToHost },
        ],
        onWait,
      )
}
