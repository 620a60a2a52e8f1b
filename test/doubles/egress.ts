import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Dial } from '#packages/egress/connect.ts'
import type { Egress } from '#packages/egress/egress.ts'
import { EgressError } from '#packages/egress/egress-error.ts'
import { createEgressRoutes, type EgressRoutesOptions } from '#packages/egress/egress-routes.ts'
import { keptLog } from './kept-log.ts'

/** Opens routes and gives the one that belongs to no platform. */
export async function openEgress(options: Partial<EgressRoutesOptions> = {}): Promise<Egress & AsyncDisposable> {
  const routes = await createEgressRoutes({ proxy: undefined, platformProxies: {}, log: keptLog().log, ...options })
  const { egress } = routes.of({ platform: undefined, session: 'any' })
  return { ...egress, [Symbol.asyncDispose]: () => routes[Symbol.asyncDispose]() }
}

/** A server on loopback that stands for every public address: `dial` reaches it in place of the one it is asked for. */
export type Outside = AsyncDisposable & {
  dial: Dial
  /** The addresses that were dialled. */
  dialled: string[]
  /** The URLs that were asked for. */
  asked: string[]
}

export async function startOutside(handler: RequestListener): Promise<Outside> {
  const [dialled, asked]: [string[], string[]] = [[], []]
  const server = createServer((request, response) => {
    asked.push(`${request.headers.host}${request.url}`)
    handler(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    dialled,
    asked,
    async dial(address) {
      dialled.push(address)
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
      await once(socket, 'connect')
      return Object.defineProperty(socket, 'remoteAddress', { value: address, configurable: true })
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type ProxyAnswer = { status: number; words: string; headers: IncomingMessage['headers']; text: string }

/** What a child process that knows nothing of us does: sends what it is told to a proxy, letter by letter. */
export function childOf(proxyUrl: string) {
  const { hostname: host, port, username, password } = new URL(proxyUrl)
  const credentials = { 'proxy-authorization': `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
  const asking = (method: string, path: string, headers: Record<string, string> = {}) =>
    request({ host, port, method, path, headers: { ...(username && credentials), ...headers }, agent: false })
  return {
    /** Asks in absolute form. */
    async get(url: string, headers: Record<string, string> = {}, body?: string): Promise<ProxyAnswer> {
      const sending = asking(body === undefined ? 'GET' : 'POST', url, headers)
      sending.end(body)
      const [response] = (await once(sending, 'response')) as [IncomingMessage]
      return { ...headOf(response), text: await textOf(response) }
    },
    /** Asks for a tunnel to `host:port`; the socket is there for 200 only. */
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

/** The reason of the EgressError that something ends with. */
export const reasonOf = (running: Promise<unknown>): Promise<string> =>
  running.then(
    () => 'nothing thrown',
    (error: unknown) => (error instanceof EgressError ? error.reason : String(error)),
  )
