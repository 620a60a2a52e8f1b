import { parseSetCookie, type SetCookie } from 'cookie'
import type { Dispatcher } from 'undici'
import { capped, codings, decoded } from './body.ts'
import { type Dial, type Resolve, tcpDial } from './connect.ts'
import { EgressError, toEgressError } from './egress-error.ts'
import { createNameLookup } from './name-lookup.ts'
import { proxyFailureOf } from './proxy-status.ts'
import { locationOf, redirected, type Sent } from './redirect.ts'
import { hostOf, refusalOf } from './refusal.ts'
import { directTransport, proxyTransport, socksTransport, type Transport } from './transport.ts'
import { trustOf } from './trust.ts'

/**
 * The cookies that the redirects of one request set, by host. Some hosts redirect without end until their cookie
 * comes back. Cookies go to no other host and end with the request.
 */
class RedirectCookies {
  readonly #ofHost = new Map<string, Map<string, SetCookie>>()

  /** @param header `Set-Cookie` of the answer to this URL */
  take({ hostname }: URL, header: string | string[] | undefined): void {
    const kept = this.#ofHost.get(hostname) ?? new Map<string, SetCookie>()
    this.#ofHost.set(hostname, kept)
    for (const cookie of [header ?? []].flat().map((line) => parseSetCookie(line, asSent))) {
      if (isOver(cookie)) kept.delete(cookie.name)
      else kept.set(cookie.name, cookie)
    }
  }

  /** The headers of a request to this URL. The cookies follow those that the request already has. */
  on(headers: Readonly<Record<string, string>>, { hostname, protocol }: URL): Record<string, string> {
    const kept = [...(this.#ofHost.get(hostname)?.values() ?? [])]
      .filter(({ secure }) => !secure || protocol === 'https:')
      .map(({ name, value }) => `${name}=${value}`)
    if (kept.length === 0) return headers
    return { ...headers, cookie: [headers.cookie ?? [], kept].flat().join('; ') }
  }
}

/** A cookie's value is returned to the site unchanged. */
const asSent = { decode: (value: string) => value }

const isOver = ({ maxAge = 1, expires }: SetCookie): boolean =>
  maxAge <= 0 || (expires !== undefined && Number(expires) <= Date.now())

/** How connections are made. */
export type TransportOptions = {
  /** A PEM file of trusted certificate authorities in addition to the system's, for requests through egress only. */
  caFile?: string
  connectTimeoutMs?: number
  resolve?: Resolve
  dial?: Dial
}

/** How long an answer may take, and how many redirects it may have. */
export type AnswerLimits = {
  /** Longest wait for the head of an answer. */
  headersTimeoutMs?: number
  /** Longest wait for the next piece of a body. */
  readTimeoutMs?: number
  maxRedirects?: number
}

export type EgressRequest = {
  method?: 'GET' | 'HEAD' | 'POST'
  headers?: Record<string, string>
  /** The body of a POST. */
  body?: string | Uint8Array
  /** Ends the request and the reading of its body with the signal's reason. */
  signal: AbortSignal
  /** The largest body accepted, bytes, compressed and decompressed. */
  maxBytes: number
  /** Requests a compressed body: for pages, not for media. Any compressed body is decompressed. */
  compressed?: boolean
  /** `manual`: a redirect is returned unchanged. */
  redirect?: 'follow' | 'manual'
  /** Called with the host of each request, including redirects. */
  onRequest?: (host: string) => void
}

/** An answer from outside. Dispose of it once its body is read or no longer wanted. */
export type EgressResponse = AsyncDisposable & {
  /** The final URL, after redirects. */
  url: string
  status: number
  headers: Record<string, string | string[] | undefined>
  /** The bytes, decompressed. @throws EgressError `too_large`, `timeout`, `cut_short`, `unreadable` */
  body: AsyncIterable<Uint8Array>
}

/** All requests to the outside go through here. */
export type Egress = {
  /**
   * Requests a URL and follows redirects itself. Every hop is checked like the first.
   * @throws EgressError; the signal's reason when aborted
   */
  request(url: string, options: EgressRequest): Promise<EgressResponse>
}

/** A transport that stays open at least until it is released. */
export type TransportLease = { transport: Transport; release(): void }

/** The means by which egress makes requests. */
export type EgressBackend = {
  /** The transport, leased for each request and released once its answer has been read. */
  take(): TransportLease
  /** Whether connections are kept open. Connections to hosts that customers name are not. */
  keeps: boolean
  /** A permit for a request to this host. @throws the signal's reason; StepError */
  permit(host: string, signal: AbortSignal): Promise<Disposable>
}

/** Egress over transports, with permits that bound the requests under way. */
export function egressOver(backend: EgressBackend, options: AnswerLimits): Egress {
  const { maxRedirects = 10, headersTimeoutMs = 15_000, readTimeoutMs = 15_000 } = options
  const limits = { maxRedirects, headersTimeout: headersTimeoutMs, bodyTimeout: readTimeoutMs }
  return {
    async request(url, asked) {
      const first = checked(url)
      asked.signal.throwIfAborted()
      const { transport, release } = backend.take()
      try {
        const found = await follow({ transport, backend, limits }, first, asked)
        found.answer.body.once('close', release)
        return toResponse(found.url, found.answer, asked)
      } catch (error) {
        release()
        throw error
      }
    },
  }
}

/** Opens transports that share the trusted authorities and the name lookup. */
export function transportOpener({ caFile, connectTimeoutMs = 10_000, ...options }: TransportOptions) {
  const how = { connectTimeoutMs, trust: caFile === undefined ? undefined : trustOf(caFile) }
  const direct = { ...how, resolve: options.resolve ?? createNameLookup(), dial: options.dial ?? tcpDial }
  return (proxy: URL | undefined): Transport => {
    if (proxy === undefined) return directTransport(direct)
    return proxy.protocol === 'http:' ? proxyTransport(proxy, how) : socksTransport(proxy, direct)
  }
}

function checked(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href)
  if (!url) throw new EgressError('unreachable', 'the URL cannot be read')
  const refusal = refusalOf(url)
  if (refusal) throw new EgressError('refused_address', `${url.hostname} ${refusal}`)
  return url
}

type Limits = { maxRedirects: number; headersTimeout: number; bodyTimeout: number }
type Over = { transport: Transport; backend: EgressBackend; limits: Limits }

async function follow(over: Over, start: URL, asked: EgressRequest) {
  let url = start
  let sent: Sent = { method: asked.method ?? 'GET', headers: headersOf(asked), body: asked.body }
  const cookies = new RedirectCookies()
  const seen = new Set<string>()
  for (let followed = 0; ; followed++) {
    const headers = cookies.on(sent.headers, url)
    const request = `${sent.method} ${url.href} ${headers.cookie}`
    // the same request again would get the same redirect
    if (seen.has(request)) throw new EgressError('too_many_redirects', url.hostname)
    seen.add(request)
    asked.onRequest?.(url.host)
    const answer = await send(over, url, { ...sent, headers }, asked.signal)
    const next = asked.redirect === 'manual' ? undefined : locationOf(answer.statusCode, answer.headers.location)
    if (next === undefined) return { url, answer }
    discard(answer)
    if (followed === over.limits.maxRedirects) throw new EgressError('too_many_redirects', url.hostname)
    cookies.take(url, answer.headers['set-cookie'])
    const from = url
    url = checked(next, from)
    sent = redirected(sent, answer.statusCode, from, url)
  }
}

/** The headers of the first request, names in lower case. */
const headersOf = ({ headers = {}, compressed }: EgressRequest): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  ...(compressed && { 'accept-encoding': codings }),
})

/** Makes one request. Releases connection and permit when the body has ended. */
async function send(over: Over, url: URL, sent: Sent, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  const { transport, backend, limits } = over
  const { maxRedirects: _, ...timeouts } = limits
  const permit = await backend.permit(hostOf(url), signal)
  const {
    dispatcher,
    headers: forHop,
    isProxied,
    close,
    ...to
  } = backend.keeps ? { ...transport.kept(url), close() {} } : transport.single(url)
  const end = () => {
    close()
    permit[Symbol.dispose]()
  }
  try {
    const headers = { ...sent.headers, ...forHop }
    const request = { ...to, method: sent.method, headers, body: sent.body ?? null, ...timeouts, signal }
    const answer = await dispatcher.request(request)
    answer.body.once('close', end)
    const failure = proxyFailureOf(answer, url.hostname, isProxied)
    if (!failure) return answer
    discard(answer)
    throw failure
  } catch (error) {
    end()
    throw signal.aborted ? signal.reason : toEgressError(error, url.hostname)
  }
}

function toResponse(url: URL, { statusCode, headers, body }: Dispatcher.ResponseData, asked: EgressRequest) {
  // without this listener, disposing of a body early would cause an unhandled error
  body.on('error', () => undefined)
  const { 'content-encoding': coding, 'content-length': length, ...others } = headers
  const limits = { host: url.hostname, maxBytes: asked.maxBytes, signal: asked.signal }
  const bytes = capped(body, Number(length), limits)
  return {
    url: url.href,
    status: statusCode,
    headers: others,
    body: coding === undefined ? bytes : capped(decoded(bytes, coding, limits), Number.NaN, limits),
    [Symbol.asyncDispose]: async () => void body.destroy(),
  }
}

function discard(answer: Dispatcher.ResponseData): void {
  answer.body.on('error', () => undefined)
  answer.body.destroy()
}
