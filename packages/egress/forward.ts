import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { proxyFailureOf } from './proxy-status.ts'
import type { Transport } from './transport.ts'

/** Headers about one connection only (RFC 9110, 7.6.1), or for the proxy. */
const hopByHop = new Set([
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

type Headers = Record<string, string | string[] | undefined>

/**
 * Forwards a plain HTTP request over a transport, and returns its answer, including redirects unchanged. The caller
 * has checked the host with `refusalOf`.
 * @param idleMs longest wait for the head of the answer, and for each piece of its body
 * @throws EgressError and others, before the answer has begun or in the middle of it
 */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { url, transport, idleMs }: { url: URL; transport: Transport; idleMs: number },
): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const { dispatcher, headers: forHop, isProxied, ...to } = transport.kept(url)
  const answer = await dispatcher.request({
    ...to,
    method: request.method as 'GET',
    headers: { ...endToEnd(request.headers), ...forHop },
    body: hasBody(request) ? request : null,
    signal: gone.signal,
    headersTimeout: idleMs,
    bodyTimeout: idleMs,
  })
  const failure = proxyFailureOf(answer, url.hostname, isProxied)
  if (failure) {
    answer.body.on('error', () => undefined).destroy()
    throw failure
  }
  response.writeHead(answer.statusCode, endToEnd(answer.headers))
  await pipeline(answer.body, response)
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

function endToEnd(headers: Headers): Record<string, string | string[]> {
  const named = String(headers.connection ?? '')
    .toLowerCase()
    .split(/[\s,]+/)
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || hopByHop.has(name) || named.includes(name) ? [] : [[name, value] as const],
  )
  return Object.fromEntries(kept)
}
