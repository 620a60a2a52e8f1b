import type { ErrorObject } from '../../contracts/generated/http.ts'
import { VideoIntelligenceError } from './error.ts'
import { sleep } from './sleep.ts'

export type HttpOptions = {
  /** Such as `https://api.example.com`, without `/v1`. */
  baseUrl: string
  apiKey: string
  /** How often a call is retried. Default 4. */
  maxRetries?: number
  /** Limit of one request, seconds, in addition to the time that it asks the service to wait. Default 30. */
  timeoutSeconds?: number
  /** The longest wait accepted from an answer, seconds. Default 65: a rate limit's window is 60. */
  maxPauseSeconds?: number
  /** The trace context of the calls (W3C `traceparent`). */
  traceparent?: string | undefined
  /** The program's name (`User-Agent`). Default: what `fetch` sends. */
  userAgent?: string
  /** Default: the `fetch` of the platform. */
  fetch?: typeof fetch
  /** Awaited before a large answer is parsed, so that a server process can handle other requests first. */
  giveWay?: (() => Promise<void>) | undefined
}

export type Call = {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Such as `/v1/me`. */
  path: string
  query?: Record<string, string | number | undefined>
  body?: unknown
  headers?: Record<string, string>
  /** Whether repeating the call is safe, so that it is retried if its outcome is unknown. */
  repeatable: boolean
  /** How long the request asks the service to wait, seconds. */
  waitSeconds?: number
  signal?: AbortSignal | undefined
}

export type Reply = { status: number; headers: Headers; text: string }

const FIRST_PAUSE_SECONDS = 0.5
const LAST_PAUSE_SECONDS = 8
/** Characters of an answer that takes a millisecond or more to parse. */
const LARGE = 64 * 1024

/** HTTP calls to the service, with retries. */
export class Http {
  readonly #baseUrl: string
  /** Headers of every call. */
  readonly #headers: Record<string, string>
  readonly #maxRetries: number
  readonly #timeoutSeconds: number
  readonly #maxPauseSeconds: number
  readonly #fetch: typeof fetch
  readonly #giveWay: () => Promise<void>

  constructor(options: HttpOptions) {
    const {
      baseUrl,
      apiKey,
      traceparent,
      userAgent,
      maxRetries = 4,
      timeoutSeconds = 30,
      maxPauseSeconds = 65,
      // A browser's fetch must be called without an object.
      fetch: given = (...asked) => fetch(...asked),
      giveWay = async () => {},
    } = options
    this.#baseUrl = baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '')
    this.#headers = {
      'x-api-key': apiKey,
      ...(traceparent !== undefined && { traceparent }),
      ...(userAgent !== undefined && { 'user-agent': userAgent }),
    }
    this.#maxRetries = maxRetries
    this.#timeoutSeconds = timeoutSeconds
    this.#maxPauseSeconds = maxPauseSeconds
    this.#fetch = given
    this.#giveWay = giveWay
  }

  /** The answer as JSON. @throws VideoIntelligenceError, or the signal's reason */
  async json<T>(call: Call): Promise<T> {
    return parsed(await this.send(call)) as T
  }

  /**
   * The answer, if it is a success or the end of a job. A 504 with a jobId is an answer about that job.
   * @throws VideoIntelligenceError, or the signal's reason
   */
  send(call: Call): Promise<Reply> {
    return this.#repeated(call, () => this.#once(call))
  }

  /** The body of a success as a stream, without a time limit. @throws as `send` */
  open(call: Call): Promise<ReadableStream<Uint8Array>> {
    return this.#repeated(call, () => this.#opened(call))
  }

  async #repeated<T>(call: Call, once: () => Promise<T | VideoIntelligenceError>): Promise<T> {
    for (let retry = 0; ; retry++) {
      call.signal?.throwIfAborted()
      const outcome = await once()
      if (!(outcome instanceof VideoIntelligenceError)) return outcome
      const pause = retry < this.#maxRetries ? pauseSeconds(outcome, call, retry) : undefined
      if (pause === undefined || pause > this.#maxPauseSeconds) throw outcome
      await sleep(pause * 1000, call.signal)
    }
  }

  async #once(call: Call): Promise<Reply | VideoIntelligenceError> {
    const timeout = AbortSignal.timeout((this.#timeoutSeconds + (call.waitSeconds ?? 0)) * 1000)
    const signal = call.signal === undefined ? timeout : AbortSignal.any([call.signal, timeout])
    try {
      const response = await this.#fetch(this.#urlOf(call), { ...this.#requestOf(call), signal })
      const reply = { status: response.status, headers: response.headers, text: await response.text() }
      if (reply.text.length > LARGE) await this.#giveWay()
      return reply.status < 400 || isEndOfJob(reply) ? reply : errorOf(reply)
    } catch (cause) {
      return notReached(call, timeout.aborted, cause)
    }
  }

  async #opened(call: Call): Promise<ReadableStream<Uint8Array> | VideoIntelligenceError> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), this.#timeoutSeconds * 1000)
    const signal = call.signal === undefined ? late.signal : AbortSignal.any([call.signal, late.signal])
    try {
      const response = await this.#fetch(this.#urlOf(call), { ...this.#requestOf(call), signal })
      const { status, headers, body } = response
      return status < 400 && body !== null ? body : errorOf({ status, headers, text: await response.text() })
    } catch (cause) {
      return notReached(call, late.signal.aborted, cause)
    } finally {
      clearTimeout(timer)
    }
  }

  #urlOf({ path, query = {} }: Call): string {
    const parameters = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value))
    return `${this.#baseUrl}${path}${parameters.size > 0 ? `?${parameters}` : ''}`
  }

  #requestOf({ method = 'GET', body, headers }: Call): RequestInit {
    const all: Record<string, string> = { ...this.#headers, ...headers }
    // No redirects: the key is sent to this address only.
    const rest = { method, redirect: 'error' } as const
    if (body === undefined) return { ...rest, headers: all }
    return { ...rest, headers: { ...all, 'content-type': 'application/json' }, body: JSON.stringify(body) }
  }
}

/** @throws the signal's reason */
function notReached({ signal }: Call, isLate: boolean, cause: unknown): VideoIntelligenceError {
  signal?.throwIfAborted()
  const message = isLate ? 'The service did not answer in time.' : 'The service could not be reached.'
  return new VideoIntelligenceError('network_error', message, { status: 0, cause })
}

/** The text of an answer as JSON. @throws VideoIntelligenceError invalid_response */
export function parsed({ status, headers, text }: Reply): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    const facts = { status, requestId: headers.get('x-request-id') ?? undefined, cause }
    throw new VideoIntelligenceError('invalid_response', 'The answer is not JSON: is this address the service?', facts)
  }
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    // Not this service's answer: the caller uses only its status.
    return {}
  }
}

const isEndOfJob = ({ status, text }: Reply): boolean => status === 504 && typeof objectIn(text).jobId === 'string'

function errorOf({ status, headers, text }: Reply): VideoIntelligenceError {
  const { error, message, details } = objectIn(text) as Partial<ErrorObject>
  const requestId = headers.get('x-request-id') ?? undefined
  const { jobId } = (details ?? {}) as { jobId?: string }
  const facts = { status, details, requestId, jobId, retryAfterSeconds: retryAfterSeconds(status, headers) }
  if (typeof error !== 'string') {
    return new VideoIntelligenceError('invalid_response', `Something else than the service answered ${status}.`, facts)
  }
  return new VideoIntelligenceError(error, message ?? error, facts)
}

/** How long to wait, seconds, by the clock of the service (`Date`), because ours may be wrong. */
function retryAfterSeconds(status: number, headers: Headers): number | undefined {
  const after = Number(headers.get('retry-after') ?? Number.NaN)
  if (status !== 429) return Number.isFinite(after) ? after : undefined
  const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN)
  const now = Date.parse(headers.get('date') ?? '') || Date.now()
  const untilReset = reset - now / 1000
  return Math.max(Number.isFinite(untilReset) ? untilReset : 0, Number.isFinite(after) ? after : 0)
}

/** Seconds until the next attempt. Undefined if another attempt is useless or might do harm. */
function pauseSeconds(error: VideoIntelligenceError, call: Call, retry: number): number | undefined {
  const { status, retryAfterSeconds } = error
  // A 429 had no effect, so any call may be repeated.
  if (status === 429) return retryAfterSeconds ?? 1
  if (!call.repeatable) return undefined
  if (status === 503 && retryAfterSeconds !== undefined) return retryAfterSeconds
  const fromInBetween = error.code === 'invalid_response' && status >= 502
  if (status !== 0 && !fromInBetween) return undefined
  return Math.random() * Math.min(LAST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** retry)
}
