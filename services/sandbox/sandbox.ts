import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { type Authority, createAuthority } from './certificates.ts'
import { type Disturbance, Disturbances } from './disturbance.ts'
import { fitsHost } from './host-pattern.ts'
import { sendAnswer } from './send-answer.ts'
import type { SandboxAnswer, SandboxRequest, Site } from './site.ts'
import { Traffic } from './traffic.ts'

/** A stand-in for the outside world, reached through its proxy only. */
export type Sandbox = AsyncDisposable & {
  /**
   * `http://127.0.0.1:port`. Accepts any user name and password. The name is the `exit` in traffic and disturbances.
   */
  proxyUrl: string
  /** PEM file of the authority that signs for every host. Only clients that are given it trust the sandbox. */
  caFile: string
  /** Requests and bytes sent. */
  traffic: Traffic
  /** `host:port` or URLs without a site, in order; they get 502. Empty if the guard and the catalogue agree. */
  refused: string[]
  /** The active disturbances. Stand-ins beside the sandbox apply them too. */
  disturbances: Disturbances
  /** Injects a fault until it is disposed of or used up. */
  disturb(disturbance: Disturbance): Disposable
}

const MAX_REQUEST_BYTES = 1_000_000
const MAX_REFUSED = 1_000

/**
 * The path at the sandbox's own address where `npm run sandbox` orders a disturbance, which lasts as long as the
 * connection.
 */
export const ORDERS = '/disturbances'

/**
 * Starts the outside world on a free port of loopback. An HTTP proxy (CONNECT and absolute form) terminates TLS with
 * certificates of its own and lets the sites answer for the real host names.
 * @param sites the first one with a matching host pattern answers a request
 */
export async function startSandbox(sites: readonly Site[]): Promise<Sandbox> {
  const directory = await mkdtemp(join(tmpdir(), 'sandbox-'))
  const authority = await createAuthority(directory)
  const outside = new Outside(sites)
  const sockets = new Set<Duplex>()
  const proxy = proxyTo(outside, authority).on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    proxy.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  const { traffic, refused, disturbances } = outside
  return {
    proxyUrl: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    caFile: authority.caFile,
    traffic,
    refused,
    disturbances,
    disturb: (disturbance) => disturbances.order(disturbance),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => proxy.close(resolve))
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** The sites behind the proxy. */
class Outside {
  readonly traffic = new Traffic()
  readonly disturbances = new Disturbances()
  readonly refused: string[] = []
  readonly #sites: readonly Site[]

  constructor(sites: readonly Site[]) {
    this.#sites = sites
  }

  siteOf(host: string): Site | undefined {
    return this.#sites.find(({ hosts }) => hosts.some((pattern) => fitsHost(pattern, host)))
  }

  refuse(what: string): void {
    if (this.refused.length < MAX_REFUSED) this.refused.push(what)
  }
}

function proxyTo(outside: Outside, authority: Authority): Server {
  const exits = new WeakMap<Duplex, string>()
  const inside = createServer((request, response) => {
    const scheme = request.socket instanceof TLSSocket ? 'https' : 'http'
    const url = URL.parse(request.url ?? '', `${scheme}://${request.headers.host}`)
    if (!url) return void response.writeHead(400).end()
    serve(outside, { request, response, url, exit: exits.get(request.socket) })
  })
  const proxy = createServer((request, response) => {
    if (request.url === ORDERS) return void takeOrder(outside, request, response)
    // A request in origin form is not for the proxy, but for a server inside.
    const url = URL.parse(request.url ?? '', request.url?.startsWith('/') ? 'http://127.0.0.1' : undefined)
    if (url?.protocol === 'http:' && url.port === '') serve(outside, { request, response, url, exit: exitOf(request) })
    else refuse(outside, request.url ?? '', response)
  })
  return proxy.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const [host = '', port = ''] = (request.url ?? '').split(':')
    if (!outside.siteOf(host) || !['80', '443'].includes(port)) {
      outside.refuse(request.url ?? '')
      return void socket.end(`HTTP/1.1 502 Bad Gateway\r\nProxy-Status: ${NO_SUCH_HOST}\r\n\r\n`)
    }
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) socket.unshift(head)
    const carrier = port === '443' ? withoutTls(socket, host, authority) : socket
    const exit = exitOf(request)
    if (exit !== undefined) exits.set(carrier, exit)
    carrier.on('error', () => socket.destroy())
    inside.emit('connection', carrier)
  })
}

type Exchange = { request: IncomingMessage; response: ServerResponse; url: URL; exit: string | undefined }

function serve(outside: Outside, exchange: Exchange): void {
  answer(outside, exchange).catch((error) => fail(exchange.response, error))
}

async function answer(outside: Outside, { request, response, url, exit }: Exchange): Promise<void> {
  const site = outside.siteOf(url.hostname)
  if (!site) return refuse(outside, url.href, response)
  const body = await readBody(request)
  const asked: SandboxRequest = { method: request.method ?? 'GET', url, headers: request.headers, body, exit }
  const outcome = await outside.disturbances.apply(asked, async () => (await site.answer(asked)) ?? notFound)
  if (outcome.kind === 'hang') return
  const { status, bytes } = sendAnswer(asked, response, outcome.answer, outcome.cutAfter)
  const { hostname: host, pathname: path, href } = url
  outside.traffic.add({ host, path, url: href, status, bytes, exit })
}

async function takeOrder(outside: Outside, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    // A page in a browser cannot send this type without permission.
    if (request.headers['content-type'] !== 'application/json') return void response.writeHead(415).end()
    outside.disturbances.orderUntilClosed(JSON.parse((await readBody(request)).toString()) as Disturbance, response)
  } catch (error) {
    fail(response, error)
  }
}

function refuse(outside: Outside, what: string, response: ServerResponse): void {
  outside.refuse(what)
  response.writeHead(502, { 'proxy-status': NO_SUCH_HOST }).end()
}

/** In the form that proxies use (RFC 9209). */
const NO_SUCH_HOST = 'sandbox; error=dns_error'

const notFound: SandboxAnswer = { status: 404, body: '<!doctype html><title>Not found</title>' }

/** The decrypted side of a client's TLS connection to `host`. */
function withoutTls(socket: Duplex, host: string, { contextFor }: Authority): TLSSocket {
  return new TLSSocket(socket, {
    isServer: true,
    ALPNProtocols: ['http/1.1'],
    SNICallback: (_name, done) => {
      contextFor(host).then(
        (context) => done(null, context),
        (error) => done(error),
      )
    },
  })
}

function exitOf({ headers }: IncomingMessage): string | undefined {
  const [scheme, pair = ''] = (headers['proxy-authorization'] ?? '').split(' ')
  return scheme === 'Basic' ? Buffer.from(pair, 'base64').toString().split(':')[0] : undefined
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > MAX_REQUEST_BYTES) throw new Error('the request is too large for the sandbox')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * A site that throws is an error of the sandbox. The answer says so, so that it is not mistaken for the real site's.
 */
function fail(response: ServerResponse, error: unknown): void {
  if (response.destroyed) return
  if (response.headersSent) return void response.destroy()
  response.writeHead(500, { 'content-type': 'text/plain' }).end(`the sandbox failed: ${error}`)
}
