import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
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

/** True for the first request of a 2025 host: only this request names no revision. Its answer names the session. */
const beginsSession = (headers: AnyHeaders): boolean =>
  headerOf(headers, 'mcp-protocol-version') === undefined && headerOf(headers, SESSION) === undefined

/** The most event streams of all keys together. The ingress limits those of each key. */
const MAX_SUBSCRIPTIONS = 10_000

/** A request to the tools: its key, its body as JSON.parse returned it, and its span. */
export type McpCall = Required<Pick<McpOptions, 'onWait'>> & {
  key: string
  body: unknown
  traceparent: string
  /** Marks the answer as one without a time limit. */
  lasts(): void
}

/** True if the request only subscribes to notifications. */
const listens = (body: unknown): boolean =>
  (body as { method?: unknown } | undefined)?.method === 'subscriptions/listen'

/**
 * Streamable HTTP, to be mounted at `/mcp` behind `door.ts`, after the key was checked and the request counted. It
 * serves both revisions of the protocol.
 *
 * Requests are independent, each with its own key. A session is only a name, and every name is accepted, so a restart
 * ends no session. `baseUrl` is called for each request, because the port may not be known earlier.
 */
export function mcpListener(
  options: Omit<McpOptions, 'apiKey' | 'baseUrl' | 'calls' | 'traceparent' | 'giveWay' | 'onWait'> & {
    baseUrl: () => string
  },
) {
  const openCalls = new OpenCalls()
  const giveWay = loopTurns()
  /**
   * The session's open calls. Undefined in the 2026 revision: there a client cancels a call by closing its
   * connection, not by a request of its own.
   */
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
        giveWay,
        baseUrl: options.baseUrl(),
        apiKey,
        traceparent: context.authInfo?.extra?.traceparent as string | undefined,
        onWait: context.authInfo?.extra?.onWait as McpOptions['onWait'],
        calls: callsOf(context, apiKey, headers),
      })
    },
    { maxSubscriptions: MAX_SUBSCRIPTIONS },
  )
  const serve = toNodeHandler(handler, { maxRequestBodySize: MAX_BODY_BYTES })
  const answer = (request: IncomingMessage, response: ServerResponse, call: McpCall): void => {
    const { key, body, traceparent, onWait, lasts } = call
    if (listens(body)) lasts()
    if (beginsSession(request.headers)) response.setHeader(SESSION, randomUUID())
    const auth = { token: key, clientId: '', scopes: [], extra: { traceparent, onWait } }
    void serve(Object.assign(request, { auth }) as Parameters<typeof serve>[0], response, body)
  }
  return { answer, close: () => handler.close() }
}

/** Returns a function that waits for a turn of the event loop. No two callers get the same turn. */
function loopTurns(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  return () => {
    last = last.then(() => setImmediate())
    return last
  }
}
