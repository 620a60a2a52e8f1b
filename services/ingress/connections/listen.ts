import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type Server as Acceptor, type AddressInfo, createServer as createAcceptor, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { invalidRequest, ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { Ids } from '#packages/ports/ids.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { ErrorObjects } from '../answers/error-objects.ts'
import type { ServerOptions } from '../options.ts'
import { addressGroupOf } from './address-group.ts'
import { Connections } from './connections.ts'
import type { RequestScheduler } from './request-scheduler.ts'

/** A server that listens. */
export type Listening = {
  port: number
  /** Accepts no more requests, lets those in progress end, and resolves when no connection is left. */
  close(): Promise<void>
}

const reasons: Record<number, string> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  431: 'Request Header Fields Too Large',
}

type Sources = { ids: Ids; errors: ErrorObjects; requestScheduler: RequestScheduler }
type Held = { connections: Connections }

/** An answer to bytes that are not an HTTP request. */
function rawAnswer(error: ServiceError, { ids, errors }: Sources, more: readonly string[]): string {
  const body = JSON.stringify(errors.of(error))
  const head = [
    `HTTP/1.1 ${error.status} ${reasons[error.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${ids.uuid()}`,
    'Connection: close',
    ...more,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

/**
 * Ends a connection with such an answer when the turn of its address comes, unless the peer would take it for another
 * answer.
 */
function endInTurn(socket: Duplex, error: ServiceError, sources: Sources & Held, ...more: string[]): void {
  const peer = socket as Socket
  sources.requestScheduler.send({ rank: 'anonymous', name: addressGroupOf(peer.remoteAddress) }, () => {
    if (socket.writable && !sources.connections.of(peer)?.isAnswering) socket.end(rawAnswer(error, sources, more))
    else socket.destroy()
  })
}

function errorOfBytes(code: string | undefined): ServiceError {
  if (code === 'HPE_HEADER_OVERFLOW') return new ServiceError('headers_too_large', 'The headers are too large.')
  const late = code === 'ERR_HTTP_REQUEST_TIMEOUT'
  return invalidRequest({ path: 'request', message: late ? 'did not come in time' : 'is not HTTP' })
}

/** Answers with an Error object where Node would answer without a body: invalid bytes, CONNECT, Expect. */
function answerEverything(server: Server, listener: RequestListener, sources: Sources & Held): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Browsers open connections ahead of their requests. Bytes that end such a one would be taken for the next answer.
    const isUnused = socket.bytesRead === 0
    if (!socket.writable || error.code === 'ECONNRESET' || isUnused) return socket.destroy()
    endInTurn(socket, errorOfBytes(error.code), sources)
  })
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy())
    // The target of CONNECT is a host, which has no methods here: an empty Allow says so (RFC 9110, 10.2.1).
    endInTurn(socket, new ServiceError('method_not_allowed', 'CONNECT is not allowed.'), sources, 'Allow: ')
  })
  server.on('checkExpectation', listener)
}

const SWEEP_EVERY_MS = 250
const TELL_EVERY_MS = 60_000

/**
 * Applies the limits to connections until it is disposed, and logs once a minute how many it had to close. The server
 * may close before the other sockets that accept for it.
 */
function keepBounds(server: Server, connections: Connections, log: Logger): Disposable {
  let sweeping: NodeJS.Timeout | undefined
  const sweep = (): void => {
    connections.sweep()
    if (connections.size > 0) return
    clearInterval(sweeping)
    sweeping = undefined
  }
  // This listener comes first, so that it runs before Node reads the first byte.
  server.prependListener('connection', (socket: Socket) => {
    connections.admit(socket)
    sweeping ??= setInterval(sweep, SWEEP_EVERY_MS).unref()
  })
  server.on('timeout', (socket: Socket) => connections.expire(socket))
  const tell = (): void => {
    const ended = connections.takeEnded()
    if (Object.keys(ended).length > 0) log.warn({ ended }, 'connections were ended to keep within bounds')
  }
  const telling = setInterval(tell, TELL_EVERY_MS).unref()
  return {
    [Symbol.dispose]() {
      clearInterval(sweeping)
      clearInterval(telling)
      tell()
    },
  }
}

/**
 * How many sockets listen at the port. Node accepts one connection of each socket in a turn of the event loop. With one
 * socket, every caller without an open connection waits as many turns as there are connections before it. Only Linux
 * spreads connections over the sockets of a port.
 */
const ACCEPTORS = process.platform === 'linux' ? 8 : 1

/** @throws the errors of `server.listen`, such as EADDRINUSE, which sockets that share a port do not get from each other */
async function refuseUsed(host: string, port: number): Promise<void> {
  const alone = createAcceptor().listen({ host, port })
  await once(alone, 'listening')
  await closed(alone)
}

const closed = (acceptor: Acceptor): Promise<void> => new Promise((resolve) => acceptor.close(() => resolve()))

const CLOSE_IDLE_EVERY_MS = 50

async function drain(acceptors: readonly [Server, ...Acceptor[]], drainMs: number): Promise<void> {
  const [server] = acceptors
  const allClosed = Promise.all(acceptors.map(closed))
  // A connection becomes idle when its last answer has been sent.
  const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS)
  const late = setTimeout(() => server.closeAllConnections(), drainMs)
  server.closeIdleConnections()
  await allClosed
  clearInterval(idle)
  clearTimeout(late)
}

/**
 * Listens with every limit set.
 * @param port 0: any free port
 * @throws the errors of `server.listen`, such as EADDRINUSE
 */
export async function listen(
  { listener, log, ...sources }: { listener: RequestListener; log: Logger } & Sources,
  { host, port }: { host: string; port: number },
  options: ServerOptions,
): Promise<Listening> {
  const connections = new Connections(options, () => performance.now())
  const inTurn = connections.serving(listener)
  const server = createServer(
    {
      headersTimeout: options.headersTimeoutMs,
      requestTimeout: options.requestTimeoutMs,
      keepAliveTimeout: options.keepAliveTimeoutMs,
      maxHeaderSize: options.maxHeaderBytes,
      connectionsCheckingInterval: 1000,
      // Nothing here depends on Host. Node would refuse a request without it, with an answer that has no body.
      requireHostHeader: false,
      // Closes the readable side of a request that has no body, because no code here waits for its end.
      optimizeEmptyRequests: true,
    },
    inTurn,
  )
  const bounds = keepBounds(server, connections, log)
  answerEverything(server, inTurn, { ...sources, connections })
  const acceptors = Array.from({ length: ACCEPTORS - 1 }, () =>
    createAcceptor({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket)),
  )
  // The system gives each caller of port 0 a port of its own, also if that shares it.
  if (port !== 0) await refuseUsed(host, port)
  const portOf = (): number => (server.address() as AddressInfo | null)?.port ?? port
  for (const acceptor of [server, ...acceptors]) {
    acceptor.listen({ host, port: portOf(), backlog: options.maxUnaccepted, reusePort: ACCEPTORS > 1 })
    await once(acceptor, 'listening')
  }
  const close = async (): Promise<void> => {
    using _bounds = bounds
    await drain([server, ...acceptors], options.drainMs)
  }
  return { port: portOf(), close }
}
