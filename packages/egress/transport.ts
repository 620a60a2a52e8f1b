import { once } from 'node:events'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { Agent, Client, type Dispatcher, Pool } from 'undici'
import { type ConnectOptions, connector, type Dial, guardedReach, type Reach, type Resolve } from './connect.ts'
import { EgressError } from './egress-error.ts'

/** Connections to one platform's host that are kept for its next request. */
const KEPT_PER_HOST = 8
/** How long they are kept, milliseconds. The host may ask for less, never for more: what is kept is ours to decide. */
const KEPT_MS = 4_000

/** Where a request for a URL goes, and how it is written there. */
export type RequestTarget = { dispatcher: Dispatcher; origin: string; path: string; headers: Record<string, string> }

/** The connections through one next hop. */
export type Transport = AsyncDisposable & {
  /**
   * Over a connection that is kept for the next request. For hosts of platforms, which are few and not a customer's,
   * and for child processes, which read platforms only.
   */
  kept(url: URL): RequestTarget
  /**
   * Over a connection of its own, which ends with the answer: hosts that customers name leave nothing behind. `close` is
   * to be called when the answer has been read or is no longer wanted.
   */
  single(url: URL): RequestTarget & { close(): void }
  /** A bare connection by the same means, under the same guard; whoever asks has held the host against `refusalOf`. */
  reach: Reach
}

/** Straight to the host, guarded. */
export function directTransport(options: ConnectOptions & { resolve: Resolve; dial: Dial }): Transport {
  const reach = guardedReach(options)
  const connect = connector(options, reach)
  const agent = agentOf(connect)
  return {
    kept: (url) => targetOf(url, agent),
    single: (url) => closing(targetOf(url, singleTo(url.origin, connect))),
    reach,
    [Symbol.asyncDispose]: () => agent.destroy(),
  }
}

/** Through an HTTP proxy that looks up names itself: absolute form for http, CONNECT for https. */
export function proxyTransport(proxy: URL, options: ConnectOptions): Transport {
  const authorization = authorizationOf(proxy)
  const connectToProxy = { timeout: options.connectTimeoutMs }
  const plain = new Pool(proxy.origin, { ...keeping, connections: KEPT_PER_HOST * 4, connect: connectToProxy })
  const reach: Reach = (host, port, signal) => tunnelTo(proxy, authorization, host, port, signal)
  const connect = connector(options, reach)
  const secure = agentOf(connect)
  const absolute = (url: URL, dispatcher: Dispatcher): RequestTarget => ({
    dispatcher,
    origin: proxy.origin,
    path: withoutHash(url),
    headers: { host: url.host, ...authorization },
  })
  const isPlain = ({ protocol }: URL) => protocol === 'http:'
  return {
    kept: (url) => (isPlain(url) ? absolute(url, plain) : targetOf(url, secure)),
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

const agentOf = (connect: Connect): Agent => new Agent({ ...keeping, connections: KEPT_PER_HOST, connect })

/** A client of one connection, which it ends after its first answer. */
const singleTo = (origin: string, connect: Connect): Client =>
  new Client(origin, { ...keeping, pipelining: 0, connect })

type Connect = Agent.Options['connect'] & object

const targetOf = (url: URL, dispatcher: Dispatcher): RequestTarget => ({
  dispatcher,
  origin: url.origin,
  path: url.pathname + url.search,
  headers: {},
})

/** The target, which ends its dispatcher when it is closed. */
const closing = (target: RequestTarget): RequestTarget & { close(): void } => ({
  ...target,
  // an error of its end is nobody's
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
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
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
    // what the far side said at once has been read already
    if (head.length > 0) socket.unshift(head)
    return socket
  }
  socket.destroy()
  throw new EgressError('unreachable', `the egress proxy answered ${response.statusCode} for ${host}`)
}
