import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, type McpRequestContext } from '@modelcontextprotocol/server'
import type { ErrorObject } from '#contracts/generated/http.ts'
import { OpenCalls, type SessionCalls } from './open-calls.ts'
import { createMcpServer, type McpOptions } from './server.ts'

/** The largest request, bytes: a body of `/v1` with what the protocol adds. */
const MAX_BODY_BYTES = 256 * 1024

type AnyHeaders = IncomingHttpHeaders | Headers

function headerOf(headers: AnyHeaders, name: string): string | undefined {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The key of a request, from `x-api-key` or `Authorization: Bearer`. */
const keyOf = (headers: AnyHeaders): string | undefined =>
  headerOf(headers, 'x-api-key') ?? /^Bearer +(\S+)$/i.exec(headerOf(headers, 'authorization') ?? '')?.[1]

const SESSION = 'mcp-session-id'

/** Only the first request of a host of 2025 names no revision: the answer names the session, and the next ones repeat it. */
const beginsSession = (headers: AnyHeaders): boolean =>
  headerOf(headers, 'mcp-protocol-version') === undefined && headerOf(headers, SESSION) === undefined

const unauthorized: ErrorObject = {
  error: 'unauthorized',
  message: 'An API key is required in the header x-api-key, or as Authorization: Bearer.',
  details: null,
  documentationUrl: null,
}

/**
 * Streamable HTTP, to be mounted at `/mcp`: every request stands for itself, under its own key, and both revisions of
 * the protocol are served. A session is a name and nothing more: any is taken, so a restart ends none. `baseUrl` is asked
 * for when a request comes: the service may listen later.
 */
export function mcpListener(options: Omit<McpOptions, 'apiKey' | 'baseUrl' | 'calls'> & { baseUrl: () => string }) {
  const openCalls = new OpenCalls()
  /** Where a cancellation is another request. In the revision of 2026 it is the end of the connection. */
  const callsOf = ({ era }: McpRequestContext, apiKey: string, headers: AnyHeaders): SessionCalls | undefined => {
    const session = headerOf(headers, SESSION)
    return era === 'legacy' && session !== undefined ? openCalls.of(apiKey, session) : undefined
  }
  const handler = createMcpHandler(
    (context) => {
      const headers = context.requestInfo?.headers ?? {}
      const apiKey = keyOf(headers) ?? ''
      return createMcpServer({
        ...options,
        baseUrl: options.baseUrl(),
        apiKey,
        calls: callsOf(context, apiKey, headers),
      })
    },
    { maxRequestBodySize: MAX_BODY_BYTES },
  )
  const serve = toNodeHandler(handler)
  const listener: RequestListener = (request, response) => {
    if (keyOf(request.headers) === undefined) {
      response.writeHead(401, { 'Content-Type': 'application/json; charset=utf-8' }).end(JSON.stringify(unauthorized))
      return
    }
    if (beginsSession(request.headers)) response.setHeader(SESSION, randomUUID())
    serve(request as Parameters<typeof serve>[0], response)
  }
  return { listener, close: () => handler.close() }
}
