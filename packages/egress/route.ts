import { once } from 'node:events'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { Agent, type Dispatcher, Pool } from 'undici'
import { type ConnectOptions, connector, type Dial, guardedReach, type Reach, type Resolve } from './connect.ts'
import { EgressError } from './egress-error.ts'

const CONNECTIONS_PER_HOST = 8
/** Hosts that are connected to at one time. */
const MAX_HOSTS = 256

/** One way to the outside: which connections a request for a URL takes, and how it is written there. */
export type Route = AsyncDisposable & {
  of(url: URL): { dispatcher: Dispatcher; origin: string; path: string; headers: Record<string, string> }
  /** A bare connection the same way, under the same guard; whoever asks has held the host against `refusalOf`. */
  reach: Reach
}

/** Straight to the host, guarded. */
export function directRoute(options: ConnectOptions & { resolve: Resolve; dial: Dial }): Route {
  const reach = guardedReach(options)
  const agent = agentOf(connector(options, reach))
  return {
    of: (url) => ({ dispatcher: agent, origin: url.origin, path: url.pathname + url.search, headers: {} }),
    reach,
    [Symbol.asyncDispose]: () => agent.destroy(),
  }
}

/** Through an HTTP proxy that looks up names itself: absolute form for http, CONNECT for https. */
export function proxyRoute(proxy: URL, options: ConnectOptions): Route {
  const authorization = authorizationOf(proxy)
  const plain = new Pool(proxy.origin, {
    connections: CONNECTIONS_PER_HOST * 4,
    connect: { timeout: options.connectTimeoutMs },
  })
  const reach: Reach = (host, port, signal) => tunnelTo(proxy, authorization, host, port, signal)
  const secure = agentOf(connector(options, reach))
  return {
    of: (url) =>
      url.protocol === 'http:'
        ? {
            dispatcher: plain,
            origin: proxy.origin,
            path: withoutHash(url),
            headers: { host: url.host, ...authorization },
          }
        : { dispatcher: secure, origin: url.origin, path: url.pathname + url.search, headers: {} },
    reach,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([plain.destroy(), secure.destroy()])
    },
  }
}

const agentOf = (connect: Agent.Options['connect'] & object): Agent =>
  new Agent({ connections: CONNECTIONS_PER_HOST, maxOrigins: MAX_HOSTS, keepAliveTimeout: 4_000, connect })

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
