import type { Logger } from '#packages/telemetry/log.ts'
import type { OnWait } from '#packages/work/shared-work.ts'
import { type AnswerLimits, createRoutes, type Egress, egressOver, type RouteOptions } from './egress.ts'
import { type GuardProxyLimits, startGuardProxy } from './guard-proxy.ts'
import { createNextHops } from './next-hop.ts'
import { RoutePool } from './route-pool.ts'
import { placesUnderWay, type UnderWayLimits } from './under-way.ts'

/** One way out, chosen for a platform and a session. */
export type Exit = {
  /**
   * The address that the platform sees, as far as we know it: `direct`, or the proxy's `host:port`, with the session
   * (`host:port#session`) where the proxy has sessions. For breakers, logs and `/ready`; never a credential.
   */
  address: string
  /** For our own requests. */
  egress: Egress
  /**
   * For a child process that we start, `http://user:password@127.0.0.1:port`: a guarded proxy of ours on loopback, whose
   * credentials choose this way out; the same way has the same credentials for as long as this process lives. It refuses
   * what `egress` refuses, with 403. Never logged.
   */
  proxyUrl: string
}

/** Who a way out is asked for. */
export type ExitWish = {
  /** `youtube` …, or undefined for what belongs to no platform. */
  platform: string | undefined
  /** Takes the place of `{session}` in a proxy's URL: letters and digits. The same wish has the same exit address. */
  session: string
  /** Who is served: no organization has all that may be under way. Undefined: an operator. */
  organization?: string | undefined
  /** Told when a request waits for the share of whom it serves. */
  onWait?: OnWait | undefined
}

/** The ways out of this process. */
export type Exits = AsyncDisposable & {
  /** @throws Error for a session that is not letters and digits, where the next hop has sessions */
  of(wish: ExitWish): Exit
}

export type ExitsOptions = RouteOptions &
  AnswerLimits & {
    /** Next hop of everything, `http://[user:pass@]host:port`, with `{session}` where sessions go. Unset: straight out. */
    proxy: string | undefined
    /** Next hops of single platforms, before that one. */
    platformProxies: Readonly<Record<string, string | undefined>>
    /** Next hops whose connections are kept open at one time, besides those in use. */
    maxRoutes?: number
    underWay?: UnderWayLimits
    /** Limits of the proxy for child processes. */
    children?: GuardProxyLimits
    log: Logger
  }

/**
 * Opens the ways out: connections, and the proxy for child processes. All end when it is disposed of.
 * @throws Error for a proxy's URL that is none
 */
export async function createExits({
  proxy,
  platformProxies,
  maxRoutes = 64,
  underWay,
  children,
  log,
  ...options
}: ExitsOptions): Promise<Exits> {
  const hops = createNextHops(proxy, platformProxies)
  const pool = new RoutePool(maxRoutes, createRoutes(options))
  const places = placesUnderWay(underWay)
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
        egress: egressOver({ take: () => pool.take(hop), keeps, place: places(organization, onWait) }, options),
        proxyUrl: guard.proxyUrl(hop.name),
      }
    },
    async [Symbol.asyncDispose]() {
      await guard[Symbol.asyncDispose]()
      await pool[Symbol.asyncDispose]()
    },
  }
}
