import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, type McpRequestContext } from '@modelcontextprotocol/server'
import { MAX_BODY_BYTES } from './door.ts'
import { OpenCalls, type SessionCalls } from './open-calls.ts'
import { createMcpServer, type McpOptions } from './server.ts'

type AnyHeaders = IncomingHttpHeaders | Headers

function headerOf(headers: AnyHeaders, name: string): string | undefined {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

const SESSION = 'mcp-session-id'

/** Only the first request of a host of 2025 names no revision: the answer names the session, and the next ones repeat it. */
const beginsSession = (headers: AnyHeaders): boolean =>
  headerOf(headers, 'mcp-protocol-version') === undefined && headerOf(headers, SESSION) === undefined

/** Streams of changes that all keys together may have open: each key's own are bounded before they come here. */
const MAX_SUBSCRIPTIONS = 10_000

/** A request to the tools: whose it is, and its body as JSON.parse gave it. */
export type McpCall = { key: string; body: unknown }

/**
 * Streamable HTTP, to be mounted at `/mcp` behind `door.ts`: the key is known to be good and the request counted. Every
 * request stands for itself, under its own key, and both revisions of the protocol are served. A session is a name and
 * nothing more: any is taken, so a restart ends none. `baseUrl` is asked for when a request comes: the service may listen
 * later.
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
      const apiKey = context.authInfo?.token ?? ''
      return createMcpServer({
        ...options,
        baseUrl: options.baseUrl(),
        apiKey,
        calls: callsOf(context, apiKey, headers),
      })
    },
    { maxSubscriptions: MAX_SUBSCRIPTIONS },
  )
  const serve = toNodeHandler(handler, { maxRequestBodySize: MAX_BODY_BYTES })
  const answer = (request: IncomingMessage, response: ServerResponse, { key, body }: McpCall): void => {
    if (beginsSession(request.headers)) response.setHeader(SESSION, randomUUID())
    const auth = { token: key, clientId: '', scopes: [] }
    void serve(Object.assign(request, { auth }) as Parameters<typeof serve>[0], response, body)
  }
  return { answer, close: () => handler.close() }
}
