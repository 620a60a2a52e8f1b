import type { Logger } from '#packages/telemetry/log.ts'
import type { OnWait } from '#packages/work/single-flight.ts'
import { type AnswerLimits, type Egress, egressOver, type TransportOptions, transportOpener } from './egress.ts'
import { type GuardProxyLimits, startGuardProxy } from './guard-proxy.ts'
import { createNextHops } from './next-hop.ts'
import { type RequestPermitLimits, requestPermits } from './request-permits.ts'
import { TransportPool } from './transport-pool.ts'

/** One egress route, for a platform and a session. */
export type EgressRoute = {
  /**
   * The address that the platform sees, as far as we know it: `direct`, or the proxy's `host:port`, with the session
   * (`host:port#session`) where the proxy has sessions. For breakers, logs and `/ready`; never a credential.
   */
  address: string
  /** For our own requests. */
  egress: Egress
  /**
   * For a child process that we start, `http://user:password@127.0.0.1:port`: a guarded proxy of ours on loopback, whose
   * credentials choose this route; the same route has the same credentials for as long as this process lives. It refuses
   * what `egress` refuses, with 403. Never logged.
   */
  proxyUrl: string
}

/** Who a route is asked for. */
export type EgressRouteRequest = {
  /** `youtube` …, or undefined for what belongs to no platform. */
  platform: string | undefined
  /** Takes the place of `{session}` in a proxy's URL: letters and digits. The same session has the same exit address. */
  session: string
  /** Who is served: no organization has all that may be under way. Undefined: an operator. */
  organization?: string | undefined
  /** Told when a request waits for the share of whom it serves. */
  onWait?: OnWait | undefined
}

/** The egress routes of this process. */
export type EgressRoutes = AsyncDisposable & {
  /** @throws Error for a session that is not letters and digits, where the next hop has sessions */
  of(request: EgressRouteRequest): EgressRoute
}

export type EgressRoutesOptions = TransportOptions &
  AnswerLimits & {
    /** Next hop of everything, `http://[user:pass@]host:port`, with `{session}` where sessions go. Unset: straight out. */
    proxy: string | undefined
    /** Next hops of single platforms, before that one. */
    platformProxies: Readonly<Record<string, string | undefined>>
    /** Next hops whose connections are kept open at one time, besides those in use. */
    maxTransports?: number
    requestLimits?: RequestPermitLimits
    /** Limits of the proxy for child processes. */
    children?: GuardProxyLimits
    log: Logger
  }

/**
 * Opens the egress routes: connections, and the proxy for child processes. All end when it is disposed of.
 * @throws Error for a proxy's URL that is none
 */
export async function createEgressRoutes({
  proxy,
  platformProxies,
  maxTransports = 64,
  requestLimits,
  children,
  log,
  ...options
}: EgressRoutesOptions): Promise<EgressRoutes> {
  const hops = createNextHops(proxy, platformProxies)
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
        egress: egressOver({ take: () => pool.take(hop), keeps, permit: permits(organization, onWait) }, options),
        proxyUrl: guard.proxyUrl(hop.name),
      }
    },
    async [Symbol.asyncDispose]() {
      await guard[Symbol.asyncDispose]()
      await pool[Symbol.asyncDispose]()
    },
  }
}
