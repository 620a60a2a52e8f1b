import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { ErrorObject } from '#contracts/generated/http.ts'
import { createMcpServer, type McpOptions } from './server.ts'

/** The largest request, bytes: a body of `/v1` with what the protocol adds. */
const MAX_BODY_BYTES = 256 * 1024

/** The key of a request, from `x-api-key` or `Authorization: Bearer`. */
function keyOf(headers: IncomingHttpHeaders | Headers): string | undefined {
  const get = (name: string): string | undefined => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  return get('x-api-key') ?? /^Bearer +(\S+)$/i.exec(get('authorization') ?? '')?.[1]
}

const unauthorized: ErrorObject = {
  error: 'unauthorized',
  message: 'An API key is required in the header x-api-key, or as Authorization: Bearer.',
  details: null,
  documentationUrl: null,
}

/**
 * Streamable HTTP, to be mounted at `/mcp`: every request stands for itself, under its own key, and both revisions of
 * the protocol are served. `baseUrl` is asked for when a request comes: the service may listen later.
 */
export function mcpListener(options: Omit<McpOptions, 'apiKey' | 'baseUrl'> & { baseUrl: () => string }) {
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const apiKey = keyOf(requestInfo?.headers ?? {}) ?? ''
      return createMcpServer({ ...options, baseUrl: options.baseUrl(), apiKey })
    },
    { maxRequestBodySize: MAX_BODY_BYTES },
  )
  const serve = toNodeHandler(handler)
  const listener: RequestListener = (request, response) => {
    if (keyOf(request.headers) !== undefined) return void serve(request as Parameters<typeof serve>[0], response)
    response.writeHead(401, { 'Content-Type': 'application/json; charset=utf-8' }).end(JSON.stringify(unauthorized))
  }
  return { listener, close: () => handler.close() }
}
