import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback } from '#packages/foundation/config/address.ts'

/** The largest request, bytes: a body of `/v1` plus the additions of the protocol. */
export const MAX_BODY_BYTES = 256 * 1024

/** The most messages in one request. Only the revision of March 2025 has batches, and its hosts do not send them. */
const MAX_BATCH = 10

/**
 * The most object members, and levels of nesting, in one request: more than the largest schema has. The protocol's
 * library takes 5 ms for this many members, and 400 ms for as many as the largest body can hold.
 */
const MAX_MEMBERS = 3000
const MAX_DEPTH = 100

/** Methods with answers that may last: until a job has ended, or as long as the host likes. */
const lastingMethods = ['tools/call', 'subscriptions/listen']

export type DoorOptions = {
  /** The host at which the service listens: a name or an address. */
  host: string
  /** Allowed origins in addition to those of this machine. */
  allowedOrigins: readonly string[]
}

/**
 * Checks a request to `/mcp` before the protocol's library sees it. It does not import that library, which is slow to
 * load.
 */
export const mcpDoor = (options: DoorOptions) => ({
  maxBodyBytes: MAX_BODY_BYTES,
  refusal: (headers: IncomingHttpHeaders): string | undefined => refusalOf(headers, options),
  messagesOf,
})

const localHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

/**
 * Protects hosts of agents and this service from pages in a browser (DNS rebinding; Streamable HTTP, security warning).
 * A page sends its Origin, and a request with a foreign Host cannot reach a service on loopback.
 */
function refusalOf({ host = '', origin }: IncomingHttpHeaders, options: DoorOptions): string | undefined {
  const { allowedOrigins } = options
  const known = allowedOrigins.some((allowed) => host.toLowerCase() === allowed.slice(allowed.indexOf('//') + 2))
  if (isLoopback(options.host) && !localHost.test(host) && !known)
    return 'This Host is not served here. The operator may allow it: MCP_ALLOWED_ORIGINS.'
  if (origin === undefined || allowedOrigins.includes(origin.toLowerCase())) return undefined
  if (localHost.test(host) && origin.toLowerCase() === `http://${host.toLowerCase()}`) return undefined
  return 'Pages of this Origin are not served here. The operator may allow it: MCP_ALLOWED_ORIGINS.'
}

/**
 * Protocol messages count as light requests. A tool call counts by the requests to `/v1` that it makes. Each further
 * call of a batch also counts as a message, because only the exchanges limit calls that make no request.
 */
function messagesOf(body: unknown): { light: number; lasting: number; problem?: string } {
  const messages: unknown[] = Array.isArray(body) ? body : [body]
  const methods = messages.map((message) => (message as { method?: unknown } | null | undefined)?.method)
  const calls = methods.filter((method) => method === 'tools/call').length
  const lasting = methods.filter((method) => lastingMethods.some((one) => one === method)).length
  // An empty batch counts as one message.
  const light = messages.length === 0 ? 1 : messages.length - Math.min(calls, 1)
  const problem = messages.length > MAX_BATCH ? `must hold at most ${MAX_BATCH} messages` : problemOf(body)
  return { light, lasting, ...(problem !== undefined && { problem }) }
}

/** Visits each value once, and stops at the limits. */
function problemOf(body: unknown): string | undefined {
  let members = 0
  let level = isContainer(body) ? [body] : []
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return `must be at most ${MAX_DEPTH} levels deep`
    const next: object[] = []
    for (const container of level) {
      const values: unknown[] = Array.isArray(container) ? container : Object.values(container)
      if (!Array.isArray(container)) members += values.length
      if (members > MAX_MEMBERS) return `must hold at most ${MAX_MEMBERS} members of objects`
      for (const value of values) if (isContainer(value)) next.push(value)
    }
    level = next
  }
  return undefined
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null
