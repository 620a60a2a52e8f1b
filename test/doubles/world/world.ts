import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { onLoopback } from '#test/doubles/loopback-server.ts'

/** Answers a request for one path of the outside world. */
export type WorldHandler = (request: IncomingMessage, response: ServerResponse) => void

export type WorldOptions = {
  /** Bytes or a handler by path, with or without its query (`/clip.mp4`). Other paths are 404. */
  files: Record<string, Buffer | WorldHandler>
  /** `user:password` that the proxy asks for; unset: none. */
  credentials?: string
  /** Makes the world answer for https too (PEM, see `makeCertificate`). */
  certificate?: { key: string; cert: string }
  /** Other hosts that it answers for, in addition to `*.example.com`. */
  hosts?: readonly string[]
}

/** A stand-in for the outside world. */
export type World = AsyncDisposable & {
  /** For EGRESS_PROXY: answers for `*.example.com`, in absolute form and by CONNECT. */
  proxyUrl: string
  /** URLs of the requests that reached the world, in order. */
  requests: string[]
  /** Requests to the proxy for other hosts. If the guard works, this is empty. */
  refused: string[]
  close(): Promise<void>
}

/** Starts the outside world on loopback. Files are served with ranges. `close` closes everything. */
export async function startWorld({ files, credentials, certificate, hosts = [] }: WorldOptions): Promise<World> {
  const requests: string[] = []
  const refused: string[] = []
  const isOurs = (host: string): boolean => host.endsWith('.example.com') || hosts.includes(host)
  const answer = (scheme: string) => (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', `${scheme}://${request.headers.host}`)
    requests.push(url.href)
    const file = files[url.pathname + url.search] ?? files[url.pathname]
    if (!file) response.writeHead(404).end()
    else if (typeof file === 'function') file(request, response)
    else serve(file, request, response)
  }
  const plain = await onLoopback(createServer(answer('http')))
  const secure = await onLoopback(createSecureServer(certificate ?? {}, answer('https')))
  const ports: Record<string, number> = { 80: plain.port, ...(certificate && { 443: secure.port }) }

  const mayPass = (request: IncomingMessage): boolean =>
    credentials === undefined ||
    request.headers['proxy-authorization'] === `Basic ${Buffer.from(credentials).toString('base64')}`
  const proxy = createServer((request, response) => {
    const url = URL.parse(request.url ?? '')
    if (!mayPass(request)) return void response.writeHead(407).end()
    if (url?.protocol === 'http:' && url.port === '' && isOurs(url.hostname)) return answer('http')(request, response)
    refused.push(request.url ?? '')
    response.writeHead(502).end()
  })
  proxy.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const [host = '', port = ''] = (request.url ?? '').split(':')
    if (!mayPass(request)) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    if (isOurs(host) && ports[port]) return tunnel(socket, head, ports[port])
    refused.push(request.url ?? '')
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  })
  const proxied = await onLoopback(proxy)

  const close = async () => {
    await Promise.all([plain, secure, proxied].map((server) => server[Symbol.asyncDispose]()))
  }
  return { proxyUrl: `http://127.0.0.1:${proxied.port}`, requests, refused, close, [Symbol.asyncDispose]: close }
}

function tunnel(socket: Duplex, head: Buffer, port: number): void {
  const upstream = connect(port, '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    upstream.write(head)
    upstream.pipe(socket).pipe(upstream)
  })
  upstream.on('error', () => socket.destroy())
  socket.on('error', () => upstream.destroy())
}

function serve(bytes: Buffer, request: IncomingMessage, response: ServerResponse): void {
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
  const start = Number(from ?? 0)
  const end = Math.min(to ? Number(to) : bytes.length - 1, bytes.length - 1)
  const part = bytes.subarray(start, end + 1)
  const range = from === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${bytes.length}` }
  const headers = { 'content-length': part.length, 'accept-ranges': 'bytes', ...range }
  response.writeHead(from === undefined ? 200 : 206, headers).end(request.method === 'HEAD' ? undefined : part)
}
