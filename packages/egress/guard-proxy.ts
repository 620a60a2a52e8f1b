import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { LRUCache } from 'lru-cache'
import { Semaphore } from '#packages/foundation/concurrency/semaphore.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { TransportLease } from './egress.ts'
import { EgressError, toEgressError } from './egress-error.ts'
import { forward } from './forward.ts'
import { hostOf, refusalOf } from './refusal.ts'

export type GuardProxyLimits = {
  /** The most connections and requests under way, in total and for one route. */
  maxConnections?: number
  maxConnectionsPerRoute?: number
  /** A connection is closed after this long without traffic, milliseconds. */
  idleMs?: number
  /** Time for lookup and connection, milliseconds. */
  connectTimeoutMs?: number
}

export type GuardProxyOptions = GuardProxyLimits & {
  /** The transport of a name that was passed to `proxyUrl`, and its exit address for the log. */
  enter(name: string): TransportLease & { address: string }
  log: Logger
}

/** A proxy on loopback for child processes, which checks every target. */
export type GuardProxy = AsyncDisposable & {
  /** `http://name:password@127.0.0.1:port`: the proxy with the credentials of a name (letters, digits, dots). */
  proxyUrl(name: string): string
}

/** The answer to a request that cannot be served. */
type Refusal = { status: number; words: string; reason: string }

const MAX_CONNECTIONS = 512
const HOSTS_REMEMBERED = 1_000

/**
 * Starts the proxy. It serves CONNECT and absolute form, with its own credentials. It checks every target as
 * `egress.request` does: first `refusalOf`, then the transport's checks while connecting. It answers 403 for a
 * refused target and logs it once per host.
 */
export async function startGuardProxy(options: GuardProxyOptions): Promise<GuardProxy> {
  const credentials = createProxyCredentials()
  const server = createServer({ maxHeaderSize: 65_536, headersTimeout: 10_000, keepAliveTimeout: 5_000 })
  // allows twice as many: some connections have not sent credentials yet, or wait for their next request
  server.maxConnections = 2 * (options.maxConnections ?? MAX_CONNECTIONS)
  const doors = new Doors(options, credentials.nameIn)
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => keepIn(sockets, socket))
  server.on('request', (request, response) => void doors.pass(request, response))
  server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    void doors.tunnel(request, socket, head)
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    proxyUrl: (name) => `http://${name}:${credentials.passwordOf(name)}@127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => close(server, sockets),
  }
}

/** The handlers of the proxy. */
class Doors {
  readonly #options: GuardProxyOptions
  readonly #nameIn: (header: string | undefined) => string | undefined
  readonly #limits: Required<Omit<GuardProxyLimits, 'maxConnections'>>
  readonly #permits: Semaphore
  readonly #logged = new LRUCache<string, true>({ max: HOSTS_REMEMBERED })

  constructor(options: GuardProxyOptions, nameIn: (header: string | undefined) => string | undefined) {
    const {
      maxConnections = MAX_CONNECTIONS,
      maxConnectionsPerRoute = 256,
      idleMs = 60_000,
      connectTimeoutMs = 10_000,
    } = options
    this.#limits = { maxConnectionsPerRoute, idleMs, connectTimeoutMs }
    this.#permits = new Semaphore(maxConnections)
    this.#options = options
    this.#nameIn = nameIn
  }

  /** Serves a request in absolute form. */
  async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? '')
    const refused = await this.#through(request, url?.protocol === 'http:' ? url : undefined, (url, { transport }) =>
      forward(request, response, { url, transport, idleMs: this.#limits.idleMs }),
    )
    if (!refused) return
    if (response.headersSent) return void response.destroy()
    const more = refused.status === 407 ? { 'proxy-authenticate': 'Basic realm="egress"' } : {}
    response.writeHead(refused.status, refused.words, { ...more, connection: 'close', 'content-type': 'text/plain' })
    response.end(`${refused.reason}\n`)
  }

  /** Serves a CONNECT. */
  async tunnel(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    client.on('error', () => client.destroy())
    const refused = await this.#through(request, targetOf(request.url ?? ''), async (url, { transport }) => {
      const signal = AbortSignal.timeout(this.#limits.connectTimeoutMs)
      const far = await transport.reach(hostOf(url), url.protocol === 'http:' ? 80 : 443, signal)
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      await joined(client, far, head, this.#limits.idleMs)
    })
    if (!refused || client.destroyed) return
    const more = refused.status === 407 ? 'Proxy-Authenticate: Basic realm="egress"\r\n' : ''
    const told = `Content-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(refused.reason)}\r\nConnection: close`
    client.end(`HTTP/1.1 ${refused.status} ${refused.words}\r\n${more}${told}\r\n\r\n${refused.reason}`)
    client.destroySoon()
  }

  /** Passes a request to its target. @returns why the target was not reached; undefined if it was */
  async #through(
    request: IncomingMessage,
    url: URL | undefined,
    work: (url: URL, lease: TransportLease) => Promise<void>,
  ): Promise<Refusal | undefined> {
    const name = this.#nameIn(request.headers['proxy-authorization'])
    if (name === undefined)
      return { status: 407, words: 'Proxy Authentication Required', reason: 'unknown credentials' }
    if (!url) return { status: 400, words: 'Bad Request', reason: 'the target must be http://host/… or host:port' }
    using permit = this.#permits.tryAcquire([{ name, most: this.#limits.maxConnectionsPerRoute }])
    if (!permit) return { status: 503, words: 'Too many connections', reason: 'too many connections' }
    const { address, ...lease } = this.#options.enter(name)
    try {
      const refusal = refusalOf(url)
      if (refusal) throw new EgressError('refused_address', `${url.hostname} ${refusal}`)
      await work(url, lease)
      return undefined
    } catch (error) {
      return this.#refusal(toEgressError(error, url.hostname), hostOf(url), address)
    } finally {
      lease.release()
    }
  }

  #refusal({ reason, message }: EgressError, host: string, exit: string): Refusal {
    if (reason === 'timeout' || reason === 'no_answer')
      return { status: 504, words: 'Gateway Timeout', reason: message }
    if (reason !== 'refused_address') return { status: 502, words: 'Bad Gateway', reason: message }
    if (!this.#logged.has(host)) {
      this.#logged.set(host, true)
      this.#options.log.info({ host, exit, reason: message }, 'a child process was refused a host')
    }
    return { status: 403, words: 'Refused by the egress guard', reason: message }
  }
}

/** A CONNECT's `host:port` as a URL, for the rules of `refusalOf`. */
function targetOf(authority: string): URL | undefined {
  const [, host, port] = /^([^\s/?#@\\]+):(\d{1,5})$/.exec(authority) ?? []
  if (host === undefined) return undefined
  return URL.parse(port === '80' ? `http://${host}` : `https://${host}:${port}`) ?? undefined
}

/** Passes bytes both ways until one side ends, or no bytes came for `idleMs`. */
function joined(client: Socket, far: Socket, head: Buffer, idleMs: number): Promise<void> {
  for (const side of [client, far]) side.setTimeout(idleMs, () => side.destroy())
  far.on('error', () => client.destroy())
  if (head.length > 0) far.write(head)
  client.pipe(far)
  far.pipe(client)
  client.once('close', () => far.destroy())
  return new Promise((resolve) => {
    far.once('close', () => {
      // the last bytes of the far side are still being written
      client.destroySoon()
      resolve()
    })
    if (client.destroyed) far.destroy()
    if (far.closed) resolve()
  })
}

function keepIn(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket)
  socket.once('close', () => sockets.delete(socket))
}

async function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  for (const socket of sockets) socket.destroy()
  await closed
}

/** Credentials that only this process can issue. Each name has a password derived from it and a secret. */
type ProxyCredentials = {
  /** @param name letters, digits, dots */
  passwordOf(name: string): string
  /** The name in a `Proxy-Authorization` header with valid credentials; undefined for any other header. */
  nameIn(header: string | undefined): string | undefined
}

/** Credentials that are valid as long as this process. Compares passwords in constant time. */
function createProxyCredentials(): ProxyCredentials {
  const secret = randomBytes(32)
  const digestOf = (name: string): Buffer => createHmac('sha256', secret).update(name).digest()
  return {
    passwordOf: (name) => digestOf(name).toString('base64url'),
    nameIn(header = '') {
      const [, encoded = ''] = /^basic +([\w+/=-]+)$/i.exec(header) ?? []
      const [, name = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
      const [given, wanted] = [Buffer.from(password, 'base64url'), digestOf(name)]
      return given.length === wanted.length && timingSafeEqual(given, wanted) ? name : undefined
    },
  }
}
