import { once } from 'node:events'
import { request } from 'node:http'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import type { Agent, Client, Dispatcher } from 'undici'
import { type ConnectOptions, connector, type Dial, guardedReach, type Reach, type Resolve } from './connect.ts'
import { EgressError } from './egress-error.ts'
import { proxyHostOf } from './next-hop.ts'
import { proxyErrorOf } from './proxy-status.ts'
import { socksReach } from './socks-reach.ts'

const load = createRequire(import.meta.url)

/** Loaded for the first request: it would take a sixth of the start. */
const undici = () => load('undici') as typeof import('undici')

/** How many idle connections to one host of a platform stay open. */
const KEPT_PER_HOST = 8
/** How long they stay open, milliseconds. The host may shorten this, but not extend it. */
const KEPT_MS = 4_000

/** The target of a request for a URL, with its path and headers there. */
export type RequestTarget = {
  dispatcher: Dispatcher
  origin: string
  path: string
  headers: Record<string, string>
  /** The answer may be the proxy's own. */
  isProxied?: true
}

/** The connections through one next hop. */
export type Transport = AsyncDisposable & {
  /**
   * A target over a connection that stays open for the next request. For platforms, which have few hosts that customers
   * do not choose, and for child processes, which read only platforms.
   */
  kept(url: URL): RequestTarget
  /**
   * A target over a separate connection, which ends with the answer: for hosts that customers name. Call `close` when
   * the answer has been read or is no longer wanted.
   */
  single(url: URL): RequestTarget & { close(): void }
  /** A bare connection with the same checks. The caller must have checked the host with `refusalOf`. */
  reach: Reach
}

/** Connects to the host directly, at public addresses only. */
export const directTransport = (options: ConnectOptions & { resolve: Resolve; dial: Dial }): Transport =>
  transportOver(guardedReach(options), options)

/** Connects through a SOCKS5 proxy, for both http and https. */
export const socksTransport = (proxy: URL, options: ConnectOptions & { resolve: Resolve }): Transport =>
  transportOver(socksReach(proxy, options), options)

function transportOver(reach: Reach, options: ConnectOptions): Transport {
  const connect = connector(options, reach)
  const agent = onFirstUse(() => agentOf(connect))
  return {
    kept: (url) => targetOf(url, agent.get()),
    single: (url) => closing(targetOf(url, singleTo(url.origin, connect))),
    reach,
    [Symbol.asyncDispose]: agent.destroy,
  }
}

/** Connects through an HTTP proxy that looks up names itself: absolute form for http, CONNECT for https. */
export function proxyTransport(proxy: URL, options: ConnectOptions): Transport {
  const authorization = authorizationOf(proxy)
  const connectToProxy = { timeout: options.connectTimeoutMs }
  const keptByProxy = { ...keeping, connections: KEPT_PER_HOST * 4, connect: connectToProxy }
  const plain = onFirstUse(() => new (undici().Pool)(proxy.origin, keptByProxy))
  const reach: Reach = (host, port, signal) => tunnelTo(proxy, authorization, host, port, signal)
  const connect = connector(options, reach)
  const secure = onFirstUse(() => agentOf(connect))
  const absolute = (url: URL, dispatcher: Dispatcher): RequestTarget => ({
    dispatcher,
    origin: proxy.origin,
    path: withoutHash(url),
    headers: { host: url.host, ...authorization },
    isProxied: true,
  })
  const isPlain = ({ protocol }: URL) => protocol === 'http:'
  return {
    kept: (url) => (isPlain(url) ? absolute(url, plain.get()) : targetOf(url, secure.get())),
    single: (url) =>
      closing(
        isPlain(url)
          ? absolute(url, singleTo(proxy.origin, connectToProxy))
          : targetOf(url, singleTo(url.origin, connect)),
      ),
    reach,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([plain.destroy(), secure.destroy()])
    },
  }
}

const keeping = { keepAliveTimeout: KEPT_MS, keepAliveMaxTimeout: KEPT_MS }

/** A dispatcher that is made when it is first wanted. */
function onFirstUse<Made extends Dispatcher>(make: () => Made) {
  let made: Made | undefined
  return {
    get() {
      made ??= make()
      return made
    },
    destroy: async () => made?.destroy(),
  }
}

const agentOf = (connect: Connect): Agent => new (undici().Agent)({ ...keeping, connections: KEPT_PER_HOST, connect })

/** A client with one connection, which it closes after the first answer. */
const singleTo = (origin: string, connect: Connect): Client =>
  new (undici().Client)(origin, { ...keeping, pipelining: 0, connect })

type Connect = Agent.Options['connect'] & object

const targetOf = (url: URL, dispatcher: Dispatcher): RequestTarget => ({
  dispatcher,
  origin: url.origin,
  path: url.pathname + url.search,
  headers: {},
})

/** The target with a `close` that ends its dispatcher. */
const closing = (target: RequestTarget): RequestTarget & { close(): void } => ({
  ...target,
  // a failure to close it does not matter
  close: () => void target.dispatcher.destroy().catch(() => undefined),
})

const withoutHash = (url: URL): string => url.href.slice(0, url.href.length - url.hash.length)

function authorizationOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}

async function tunnelTo(
  proxy: URL,
  headers: Record<string, string>,
  host: string,
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  const target = `${host}:${port}`
  const asking = request({
    host: proxyHostOf(proxy),
    port: proxy.port || 80,
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...headers },
    agent: false,
    signal,
  })
  asking.end()
  const [response, socket, head] = await once(asking, 'connect')
  if (response.statusCode === 200) {
    // bytes that the far side sent at once have already been read
    if (head.length > 0) socket.unshift(head)
    return socket
  }
  socket.destroy()
  throw (
    proxyErrorOf(response.headers, host) ??
    new EgressError('unreachable', `the egress proxy answered ${response.statusCode} for ${host}`)
  )
}
