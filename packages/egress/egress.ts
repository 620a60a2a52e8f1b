import { readFileSync } from 'node:fs'
import { getCACertificates } from 'node:tls'
import type { Dispatcher } from 'undici'
import { type Dial, type Resolve, tcpDial } from './connect.ts'
import { EgressError, toEgressError } from './egress-error.ts'
import { createNameLookup } from './name-lookup.ts'
import { refusalOf } from './refusal.ts'
import { directRoute, proxyRoute, type Route } from './route.ts'

export type EgressOptions = {
  /** Next hop of everything, `http://[user:pass@]host:port`; names are then looked up by it. Unset: straight out. */
  proxy?: string
  /** A PEM file of certificate authorities trusted besides the system's, for what is reached here only. */
  caFile?: string
  connectTimeoutMs?: number
  /** Longest wait for the head of an answer. */
  headersTimeoutMs?: number
  /** Longest wait for the next piece of a body. */
  readTimeoutMs?: number
  maxRedirects?: number
  connectionsPerHost?: number
  /** Hosts that are connected to at one time. */
  maxHosts?: number
  resolve?: Resolve
  dial?: Dial
}

export type EgressRequest = {
  method?: 'GET' | 'HEAD'
  headers?: Record<string, string>
  /** Ends the request and the reading of its body with the signal's reason. */
  signal: AbortSignal
  /** The largest body accepted, bytes. */
  maxBytes: number
}

/** An answer from outside. Dispose of it once its body is read or no longer wanted. */
export type EgressResponse = AsyncDisposable & {
  /** Where the answer came from, after redirects. */
  url: string
  status: number
  headers: Record<string, string | string[] | undefined>
  /** The bytes as sent. @throws EgressError `too_large`, `timeout`, `unreachable` */
  body: AsyncIterable<Uint8Array>
}

/** The one way out: everything that is asked of the outside goes through here. */
export type Egress = AsyncDisposable & {
  /**
   * Asks for a URL, following redirects by hand; every hop is checked as the first one.
   * @throws EgressError; the signal's reason when aborted
   */
  request(url: string, options: EgressRequest): Promise<EgressResponse>
}

const redirects = new Set([301, 302, 303, 307, 308])
/** Never passed on to another host. */
const secrets = new Set(['authorization', 'cookie'])

/** Opens the way out; its connections are closed when it is disposed of. */
export function createEgress(options: EgressOptions = {}): Egress {
  const route = routeOf(options)
  const { maxRedirects = 3, headersTimeoutMs = 15_000, readTimeoutMs = 15_000 } = options
  const limits = { headersTimeout: headersTimeoutMs, bodyTimeout: readTimeoutMs }

  const request = async (start: string, asked: EgressRequest): Promise<EgressResponse> => {
    let url = checked(start)
    let headers = asked.headers ?? {}
    for (let followed = 0; ; followed++) {
      const answer = await send(route, url, { ...asked, headers }, limits)
      const next = redirects.has(answer.statusCode) ? answer.headers.location : undefined
      if (typeof next !== 'string') return toResponse(url, answer, asked)
      discard(answer)
      if (followed === maxRedirects) throw new EgressError('too_many_redirects', url.hostname)
      const from = url
      url = checked(next, from)
      if (url.origin !== from.origin) headers = withoutSecrets(headers)
    }
  }
  return { request, [Symbol.asyncDispose]: () => route[Symbol.asyncDispose]() as Promise<void> }
}

function routeOf({ proxy, caFile, connectTimeoutMs = 10_000, ...options }: EgressOptions): Route {
  const ca = caFile ? [...getCACertificates('default'), readFileSync(caFile, 'utf8')] : undefined
  const pools = { connectionsPerHost: options.connectionsPerHost ?? 8, maxHosts: options.maxHosts ?? 256 }
  const how = { connectTimeoutMs, ca }
  if (proxy) return proxyRoute(new URL(proxy), how, pools)
  return directRoute({ ...how, resolve: options.resolve ?? createNameLookup(), dial: options.dial ?? tcpDial }, pools)
}

function checked(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href)
  if (!url) throw new EgressError('unreachable', 'the URL cannot be read')
  const refusal = refusalOf(url)
  if (refusal) throw new EgressError('refused_address', `${url.hostname} ${refusal}`)
  return url
}

async function send(
  route: Route,
  url: URL,
  { method = 'GET', headers, signal }: EgressRequest,
  limits: { headersTimeout: number; bodyTimeout: number },
): Promise<Dispatcher.ResponseData> {
  signal.throwIfAborted()
  const { dispatcher, headers: forHop, ...to } = route.of(url)
  try {
    const answer = await dispatcher.request({ ...to, method, headers: { ...headers, ...forHop }, signal, ...limits })
    if (answer.statusCode !== 407) return answer
    discard(answer)
  } catch (error) {
    throw signal.aborted ? signal.reason : toEgressError(error, url.hostname)
  }
  throw new EgressError('unreachable', 'the egress proxy refused our credentials')
}

function toResponse(url: URL, answer: Dispatcher.ResponseData, { maxBytes, signal }: EgressRequest): EgressResponse {
  // an answer that is disposed of early ends with an error that nobody waits for
  answer.body.on('error', () => undefined)
  const stated = Number(answer.headers['content-length'])
  return {
    url: url.href,
    status: answer.statusCode,
    headers: answer.headers,
    body: capped(answer.body, url.hostname, { maxBytes, stated, signal }),
    [Symbol.asyncDispose]: async () => {
      answer.body.destroy()
    },
  }
}

async function* capped(
  body: AsyncIterable<Uint8Array>,
  host: string,
  { maxBytes, stated, signal }: { maxBytes: number; stated: number; signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  const tooLarge = () => new EgressError('too_large', `${host} sends more than ${maxBytes} bytes`)
  if (stated > maxBytes) throw tooLarge()
  let bytes = 0
  try {
    for await (const chunk of body) {
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLarge()
      yield chunk
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : toEgressError(error, host)
  }
}

function discard(answer: Dispatcher.ResponseData): void {
  answer.body.on('error', () => undefined)
  answer.body.destroy()
}

const withoutSecrets = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !secrets.has(name.toLowerCase())))
