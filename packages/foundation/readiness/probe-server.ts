import { createServer, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ProbeAnswer = { status: number; headers: OutgoingHttpHeaders; text: string }

/** The most open connections: probes send one request each. */
const MAX_CONNECTIONS = 100

/** How long a request may take, from its connection's first byte to its end, milliseconds. */
const REQUEST_TIMEOUT_MS = 5000

/** How long a connection stays after its answer, milliseconds, even if the client has not read it. */
const ANSWER_TIMEOUT_MS = 5000

/**
 * Answers probes of a process: one request for each connection.
 * @param answer makes the answer to a request; it does not throw
 * @param port 0: any free one
 */
export async function serveProbes(
  answer: (request: IncomingMessage) => Promise<ProbeAnswer>,
  { host, port }: { host: string; port: number },
): Promise<{ port: number } & AsyncDisposable> {
  const limits = {
    headersTimeout: REQUEST_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: 1000,
  }
  const server = createServer(limits, async (request, response) => {
    const { status, headers, text } = await answer(request)
    response.writeHead(status, { ...headers, connection: 'close' }).end(text)
    request.socket.setTimeout(ANSWER_TIMEOUT_MS)
  })
  // Later requests on a connection are not served.
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
