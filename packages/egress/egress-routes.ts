import { Semaphore } from '#packages/foundation/concurrency/semaphore.ts'
import type { OnWait } from '#packages/foundation/concurrency/single-flight.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import {
  type AnswerLimits,
  type Egress,
  type EgressBackend,
  egressOver,
  type TransportOptions,
  transportOpener,
} from './egress.ts'
import { type GuardProxyLimits, startGuardProxy } from './guard-proxy.ts'
import { createNextHops, type NextHop, type ProxySettings } from './next-hop.ts'
import { TransportPool } from './transport-pool.ts'

type RequestPermitLimits = {
  /** Requests under way at one time, from the wait for a connection to the end of the answer. */
  maxRequests?: number
  /** The limit for one organization, so that others always find room. */
  maxRequestsOfOrganization?: number
  /** Limit for one organization's requests to one host. */
  maxRequestsToHost?: number
}

/** Requests that may wait for a permit. The number for one organization is bounded by its steps and reads. */
const MAX_WAITING = 1_000

/** Permits for requests under way, by organization. Undefined: an operator. */
function requestPermits({
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

/** One egress route, for a platform and a session. */
export type EgressRoute = {
  /**
   * The address that the platform sees, as far as we know it: `direct`, or the proxy's `host:port`. If the proxy has
   * sessions, it includes the session (`host:port#session`). For breakers, pace, logs and `/ready`; never a
   * credential.
   */
  address: string
  /** Every session has its own exit address. */
  hasSession: boolean
  /**
   * The kind of way: directly, through the proxy for everything, or through the platform's own. It has few values, for
   * metrics.
   */
  via: NextHop['via']
  /** For our own requests. */
  egress: Egress
  /**
   * The proxy for a child process, `http://user:password@127.0.0.1:port`: our guard proxy on loopback. Its credentials
   * choose this route, and stay the same while this process lives. It answers 403 to requests that `egress` would
   * refuse. Never logged.
   */
  proxyUrl: string
  /** The configured proxy, with the session and password filled in. Missing if there is none. Never logged. */
  nextHop?: string
}

/** The purpose of a route. */
export type EgressRouteRequest = {
  /** `youtube` …, or undefined for requests that belong to no platform. */
  platform: string | undefined
  /** Replaces `{session}` in a proxy's URL: letters and digits. The same session has the same exit address. */
  session: string
  /** The organization that the requests are for: none may hold all permits. Undefined: an operator. */
  organization?: string | undefined
  /** Called when a request starts or stops waiting for its organization's share. */
  onWait?: OnWait | undefined
}

/** The egress routes of this process. */
export type EgressRoutes = AsyncDisposable & {
  /** @throws Error for a session that is not letters and digits, if the next hop has sessions */
  of(request: EgressRouteRequest): EgressRoute
}

export type EgressRoutesOptions = TransportOptions &
  AnswerLimits &
  ProxySettings & {
    /** Idle next hops that keep their connections open at one time, in addition to those in use. */
    maxTransports?: number
    requestLimits?: RequestPermitLimits
    /** Limits of the proxy for child processes. */
    children?: GuardProxyLimits
    log: Logger
  }

/**
 * Opens the egress routes: connections, and the proxy for child processes. Disposing of the routes ends all.
 * @throws Error for an invalid proxy URL
 */
export async function createEgressRoutes({
  maxTransports = 64,
  requestLimits,
  children,
  log,
  ...options
}: EgressRoutesOptions): Promise<EgressRoutes> {
  const hops = createNextHops(options)
  const pool = new TransportPool(maxTransports, transportOpener(options))
  const permits = requestPermits(requestLimits)
  const guard = await startGuardProxy({
    ...children,
    enter(name) {
      const hop = hops.named(name)
      return { ...pool.take(hop), address: hop.address }
    },
    log,
  })
  return {
    of({ platform, session, organization, onWait }) {
      const hop = hops.of(platform, session)
      const keeps = platform !== undefined
      return {
        address: hop.address,
        via: hop.via,
        hasSession: hop.hasSession,
        egress: egressOver({ take: () => pool.take(hop), keeps, permit: permits(organization, onWait) }, options),
        proxyUrl: guard.proxyUrl(hop.name),
        ...(hop.proxy && { nextHop: hop.proxy.href }),
      }
    },
    async [Symbol.asyncDispose]() {
      await guard[Symbol.asyncDispose]()
      await pool[Symbol.asyncDispose]()
    },
  }
}
