import type { OnWait } from '#packages/work/shared-work.ts'
import { slots } from '#packages/workers/slots.ts'
import type { EgressBackend } from './egress.ts'

export type RequestPermitLimits = {
  /** Requests under way at one time, from the wait for their connection to the end of their answer. */
  maxRequests?: number
  /** Of one organization: others always find room. */
  maxRequestsOfOrganization?: number
  /** Of one organization to one host. */
  maxRequestsToHost?: number
}

/** Requests that may wait for a place. An organization's own steps and reads bound how many of these are its. */
const MAX_WAITING = 1_000

/** Gives places among the requests under way, for each organization; undefined: an operator. */
export function requestPermits({
  maxRequests = 256,
  maxRequestsOfOrganization = 32,
  maxRequestsToHost = 8,
}: RequestPermitLimits = {}): (organization: string | undefined, onWait: OnWait | undefined) => EgressBackend['place'] {
  const places = slots(maxRequests, MAX_WAITING)
  return (organization = 'operators', onWait) =>
    (host, signal) =>
      places.take(
        signal,
        [
          { name: organization, most: maxRequestsOfOrganization },
          { name: `${organization} at ${host}`, most: maxRequestsToHost },
        ],
        onWait,
      )
}
