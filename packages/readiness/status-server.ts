import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readiness } from './readiness.ts'

type Answer = [status: number, body: object]

/** The most open connections: probes send one request each. */
const MAX_CONNECTIONS = 100

/** From a connection's first byte to the end of its request, milliseconds. */
const REQUEST_TIMEOUT_MS = 5000

/** From the answer to the end of its connection, milliseconds, even if the client has not read it. */
const ANSWER_TIMEOUT_MS = 5000

/**
 * Serves GET /health (the process lives) and GET /ready (it can do its work, or why not) for a service without HTTP of
 * its own.
 * @param port 0: any free one
 */
export async function serveStatus(
  readiness: Readiness,
  { host, port }: { host: string; port: number },
): Promise<{ port: number } & AsyncDisposable> {
  const limits = {
    headersTimeout: REQUEST_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: 1000,
  }
  const server: Server = createServer(limits, async (request, response) => {
    const [status, body] = await answerTo(request.method, request.url, readiness)
    const text = JSON.stringify(body)
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', connection: 'close' }).end(text)
    request.socket.setTimeout(ANSWER_TIMEOUT_MS)
  })
  // One request for each connection: later ones on it are not served.
  server.maxRequestsPerSocket = 1
  server.maxConnections = MAX_CONNECTIONS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answerTo(method = '', url = '', readiness: Readiness): Promise<Answer> {
  if (url !== '/health' && url !== '/ready') return [404, { error: 'not_found' }]
  if (method !== 'GET' && method !== 'HEAD') return [405, { error: 'method_not_allowed' }]
  if (url === '/health') return [200, { status: 'ok' }]
  const problems = await readiness.problems()
  if (problems.length > 0) return [503, { status: 'unready', problems }]
  return [200, { status: 'ready', warnings: readiness.warnings }]
}
