import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { makeCertificate } from './certificate.ts'

/** Hosts of strangers, `*.example.com` over http and https. They never close a connection. */
export type StrangerHosts = AsyncDisposable & {
  /** For EGRESS_PROXY. */
  proxyUrl: string
  /** For EGRESS_CA_FILE. */
  caFile: string
  /** Host and path of each request, in order. */
  requests: string[]
  /** Open connections to the hosts; those of plain http end at the proxy. */
  readonly open: number
}

/** Starts the hosts on loopback, behind a proxy (CONNECT and absolute form). */
export async function startStrangerHosts(handler: RequestListener): Promise<StrangerHosts> {
  await using opening = new AsyncDisposableStack()
  const directory = opening.use(await temporaryDirectory())
  const { file: caFile, ...certificate } = await makeCertificate(directory.path)
  const requests: string[] = []
  const answer: RequestListener = (request, response) => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
    requests.push(`${request.headers.host}${url.pathname}${url.search}`)
    handler(request, response)
  }
  const options = { ...certificate, keepAliveTimeout: 0, requestTimeout: 0, maxHeaderSize: 16_384 }
  const secure = createSecureServer(options, answer)
  const proxy = createServer(options, answer)
  const hosts = new Set<Socket>()
  secure.on('connection', (socket: Socket) => {
    hosts.add(socket)
    socket.on('close', () => hosts.delete(socket))
  })
  const { port: securePort } = opening.use(await onLoopback(secure))
  proxy.on('connect', (_request: IncomingMessage, client: Socket) => {
    const far = connect(securePort, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      far.pipe(client).pipe(far)
    })
    far.on('error', () => client.destroy()).on('close', () => client.destroy())
    client.on('error', () => far.destroy()).on('close', () => far.destroy())
  })
  const { port } = opening.use(await onLoopback(proxy))
  const kept = opening.move()
  return {
    proxyUrl: `http://127.0.0.1:${port}`,
    caFile,
    requests,
    get open() {
      return hosts.size
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
