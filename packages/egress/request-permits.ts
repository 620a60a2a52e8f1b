import { fairSemaphore } from '#packages/work/fair-semaphore.ts'
import type { OnWait } from '#packages/work/single-flight.ts'
import type { EgressBackend } from './egress.ts'

export type RequestPermitLimits = {
  /** Requests under way at one time, from the wait for a connection to the end of the answer. */
  maxRequests?: number
  /** Limit for one organization, so that others always find room. */
  maxRequestsOfOrganization?: number
  /** Limit for one organization's requests to one host. */
  maxRequestsToHost?: number
}

/** Requests that may wait for a permit. The number for one organization is bounded by its steps and reads. */
const MAX_WAITING = 1_000

/** Permits for requests under way, by organization. Undefined: an operator. */
export function requestPermits({
  maxRequests = 256,
  maxRequestsOfOrganization = 32,
  maxRequestsToHost = 8,
}: RequestPermitLimits = {}): (
  organization: string | undefined,
  onWait: OnWait | undefined,
) => EgressBackend['permit'] {
  const permits = fairSemaphore(maxRequests, MAX_WAITING)
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
