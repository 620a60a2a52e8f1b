import type { Logger } from '#packages/telemetry/log.ts'
import { Semaphore } from '#packages/work/semaphore.ts'
import type { OnWait } from '#packages/work/single-flight.ts'
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
   * The address that the platform sees, as far as we know it: `direct`, or the proxy's `host:port`, with the session
   * (`host:port#session`) where the proxy has sessions. For breakers, pace, logs and `/ready`; never a credential.
   */
  address: string
  /** Every session leaves by an address of its own. */
  hasSession: boolean
  /** Straight out, by the proxy of everything, or by the platform's own: one of few values, for measuring. */
  via: NextHop['via']
  /** For our own requests. */
  egress: Egress
  /**
   * For a child process that we start, `http://user:password@127.0.0.1:port`: our guard proxy on loopback, where the
   * credentials choose this route. A route keeps its credentials as long as this process lives. The proxy refuses with
   * 403 what `egress` refuses. Never logged.
   */
  proxyUrl: string
  /** The proxy as it is configured, with the session filled in and its password; missing where there is none. Never logged. */
  nextHop?: string
}

/** For what and on whose behalf a route is used. */
export type EgressRouteRequest = {
  /** `youtube` …, or undefined for requests that belong to no platform. */
  platform: string | undefined
  /** Replaces `{session}` in a proxy's URL: letters and digits. The same session has the same exit address. */
  session: string
  /** On whose behalf: no organization may hold all permits for requests. Undefined: an operator. */
  organization?: string | undefined
  /** Called when a request starts or stops waiting for its organization's share. */
  onWait?: OnWait | undefined
}

/** The egress routes of this process. */
export type EgressRoutes = AsyncDisposable & {
  /** @throws Error for a session that is not letters and digits, where the next hop has sessions */
  of(request: EgressRouteRequest): EgressRoute
}

export type EgressRoutesOptions = TransportOptions &
  AnswerLimits &
  ProxySettings & {
    /** Next hops whose connections are kept open at one time, besides those in use. */
    maxTransports?: number
    requestLimits?: RequestPermitLimits
    /** Limits of the proxy for child processes. */
    children?: GuardProxyLimits
    log: Logger
  }

/**
 * Opens the egress routes: connections, and the proxy for child processes. All end when the routes are disposed of.
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
