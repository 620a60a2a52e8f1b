import type { IncomingHttpHeaders } from 'node:http'

/** The largest request, bytes: a body of `/v1` with what the protocol adds. */
export const MAX_BODY_BYTES = 256 * 1024

/** Messages in one request. Only the revision of March 2025 has batches, and its hosts do not send them. */
const MAX_BATCH = 10

/** Their answers may last: until a job has ended, or as long as the host likes. */
const lastingMethods = ['tools/call', 'subscriptions/listen']

export type DoorOptions = {
  /** Where the service listens: a name or an address. */
  host: string
  /** Origins besides those of this machine. */
  allowedOrigins: readonly string[]
}

/**
 * What is decided about a request to `/mcp` before the protocol itself looks at it. It needs nothing of the protocol's
 * library, which takes long to load.
 */
export const mcpDoor = (options: DoorOptions) => ({
  maxBodyBytes: MAX_BODY_BYTES,
  refusal: (headers: IncomingHttpHeaders): string | undefined => refusalOf(headers, options),
  messagesOf,
})

const localHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i
const localAddress = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i

/**
 * Protects hosts of agents and this service from pages in a browser (DNS rebinding; Streamable HTTP, security warning):
 * a page sends its Origin, and by the name of a stranger's host it cannot reach a service that listens for this machine.
 */
function refusalOf({ host = '', origin }: IncomingHttpHeaders, options: DoorOptions): string | undefined {
  const { allowedOrigins } = options
  const known = allowedOrigins.some((allowed) => host.toLowerCase() === allowed.slice(allowed.indexOf('//') + 2))
  if (localAddress.test(options.host) && !localHost.test(host) && !known)
    return 'This Host is not served here. The operator may allow it: MCP_ALLOWED_ORIGINS.'
  if (origin === undefined || allowedOrigins.includes(origin.toLowerCase())) return undefined
  if (localHost.test(host) && origin.toLowerCase() === `http://${host.toLowerCase()}`) return undefined
  return 'Pages of this Origin are not served here. The operator may allow it: MCP_ALLOWED_ORIGINS.'
}

/** Protocol messages count as light requests; a call of a tool by the requests to `/v1` that it makes. */
function messagesOf(body: unknown): { light: number; lasting: number; problem?: string } {
  const messages: unknown[] = Array.isArray(body) ? body : [body]
  const methods = messages.map((message) => (message as { method?: unknown } | null | undefined)?.method)
  const calls = methods.filter((method) => method === 'tools/call').length
  const lasting = methods.filter((method) => lastingMethods.some((one) => one === method)).length
  // What holds nothing was sent all the same.
  const light = messages.length === 0 ? 1 : messages.length - calls
  return { light, lasting, ...(messages.length > MAX_BATCH && { problem: `must hold at most ${MAX_BATCH} messages` }) }
}
