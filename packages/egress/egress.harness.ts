import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { keptLog } from '#test/doubles/kept-log.ts'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { ask } from './ask.ts'
import type { Dial } from './connect.ts'
import type { Egress } from './egress.ts'
import { EgressError } from './egress-error.ts'
import { createEgressRoutes, type EgressRoute, type EgressRoutes, type EgressRoutesOptions } from './egress-routes.ts'

/** Opens routes, without proxies unless they are given. */
export const openRoutes = (options: Partial<EgressRoutesOptions> = {}): Promise<EgressRoutes> =>
  createEgressRoutes({ proxy: undefined, platformProxies: {}, log: keptLog().log, ...options })

/** Opens routes and returns the egress of the one that belongs to no platform. */
export async function openEgress(options: Partial<EgressRoutesOptions> = {}): Promise<Egress & AsyncDisposable> {
  const routes = await openRoutes(options)
  const { egress } = routes.of({ platform: undefined, session: 'any' })
  return { ...egress, [Symbol.asyncDispose]: () => routes[Symbol.asyncDispose]() }
}

/** Requests a whole small answer through a route. */
export const askThrough = (route: EgressRoute, url: string) =>
  ask(route.egress, url, { signal: new AbortController().signal, maxBytes: 1_000, deadlineMs: 5_000 })

/** A server on loopback that takes the place of every public address: `dial` always connects to it. */
export type Outside = AsyncDisposable & {
  dial: Dial
  /** The addresses that were dialled. */
  dialled: string[]
  /** The requested URLs. */
  asked: string[]
}

export async function startOutside(handler: RequestListener): Promise<Outside> {
  const [dialled, asked]: [string[], string[]] = [[], []]
  const server = createServer((request, response) => {
    asked.push(`${request.headers.host}${request.url}`)
    handler(request, response)
  })
  const { port, [Symbol.asyncDispose]: close } = await onLoopback(server)
  const dialServer = dialTo(port)
  return {
    dialled,
    asked,
    dial(address, ...more) {
      dialled.push(address)
      return dialServer(address, ...more)
    },
    [Symbol.asyncDispose]: close,
  }
}

/** Connects nowhere, until its signal ends it. */
export const hangingDial: Dial = (_address, _port, signal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

/** Connects to a port of this machine, in place of any address. */
export const dialTo =
  (ownPort: number): Dial =>
  async (address) => {
    const socket = connect(ownPort, '127.0.0.1')
    await once(socket, 'connect')
    return Object.defineProperty(socket, 'remoteAddress', { value: address, configurable: true })
  }

export type ProxyAnswer = { status: number; words: string; headers: IncomingMessage['headers']; text: string }

/** Acts as a child process: sends requests to a proxy exactly as given. */
export function childOf(proxyUrl: string) {
  const { hostname: host, port, username, password } = new URL(proxyUrl)
  const credentials = { 'proxy-authorization': `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
  const asking = (method: string, path: string, headers: Record<string, string> = {}) =>
    request({ host, port, method, path, headers: { ...(username && credentials), ...headers }, agent: false })
  return {
    /** Sends a request in absolute form. */
    async get(url: string, headers: Record<string, string> = {}, body?: string): Promise<ProxyAnswer> {
      const sending = asking(body === undefined ? 'GET' : 'POST', url, headers)
      sending.end(body)
      const [response] = (await once(sending, 'response')) as [IncomingMessage]
      return { ...headOf(response), text: await textOf(response) }
    },
    /** Requests a tunnel to `host:port`; the socket is usable only after a 200. */
    async connect(authority: string): Promise<ProxyAnswer & { socket: Socket }> {
      const sending = asking('CONNECT', authority)
      sending.end()
      const [response, socket] = (await once(sending, 'connect')) as [IncomingMessage, Socket]
      if (response.statusCode !== 200) socket.destroy()
      socket.on('error', () => undefined)
      return { ...headOf(response), text: '', socket }
    },
  }
}

const headOf = ({ statusCode = 0, statusMessage = '', headers }: IncomingMessage) => ({
  status: statusCode,
  words: statusMessage,
  headers,
})

export async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/** The reason of the EgressError that a call rejects with. */
export const reasonOf = (running: Promise<unknown>): Promise<string> =>
  running.then(
    () => 'nothing thrown',
    (error: unknown) => (error instanceof EgressError ? error.reason : String(error)),
  )
