import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import OpenAI, { APIConnectionError, APIError } from 'openai'
import { StepError } from '#packages/errors/step-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { type Answer, readAnswer } from './answer.ts'
import type { ModelLimits } from './models.ts'

/** The endpoint did not accept the request as it stands (400): another format may do. */
export class RequestRefused extends StepError {
  constructor() {
    super('upstream_error', { message: 'The speech endpoint refused the request.' })
  }
}

export type EndpointOptions = {
  /** Such as `https://api.openai.com/v1`; reached directly. */
  baseUrl: string
  /** Empty when the endpoint wants none. */
  apiKey: string
  model: string
  clock: Clock
  log: Logger
  /** How often one request waits for its turn when the endpoint says 429. */
  maxWaits?: number
  maxAnswerBytes?: number
}

export type EndpointRequest = {
  /** FLAC. */
  path: string
  format: ModelLimits['format']
  language: string | undefined
  /** Wait here for what a 429 asks, because other pieces of the same file are paid for already. */
  waitInPlace: boolean
  signal: AbortSignal
  deadlineAt: number
}

export type Endpoint = { transcribe(request: EndpointRequest): Promise<Answer> }

/** One `POST {baseUrl}/audio/transcriptions` at a time, with its errors told as StepErrors. */
export function speechEndpoint(options: EndpointOptions): Endpoint {
  const { baseUrl, apiKey, model, clock, log, maxWaits = 3, maxAnswerBytes = 32 * 1024 * 1024 } = options
  const limited = async (url: string | URL | Request, init?: RequestInit) =>
    withLimitedBody(await fetch(url, init), maxAnswerBytes)
  // the client would fill what is left out from OPENAI_… variables, and send it to whatever endpoint this is
  const unused = { adminAPIKey: null, organization: null, project: null, webhookSecret: null, logLevel: 'off' as const }
  // many endpoints in one's own house have no key, and the client insists on one
  const client = new OpenAI({ ...unused, apiKey: apiKey || 'none', baseURL: baseUrl, maxRetries: 0, fetch: limited })

  async function post({ path, format, language, signal, deadlineAt }: EndpointRequest): Promise<Answer> {
    const file = new File([await openAsBlob(path)], basename(path), { type: 'audio/flac' })
    const body = {
      file,
      model,
      response_format: format,
      ...(language ? { language } : {}),
      ...(format === 'diarized_json' ? { chunking_strategy: 'auto' as const } : {}),
    }
    const timeout = Math.max(1, deadlineAt - clock.now())
    try {
      return readAnswer(await client.audio.transcriptions.create(body, { signal, timeout }))
    } catch (error) {
      signal.throwIfAborted()
      throw told(error, log)
    }
  }

  async function transcribe(request: EndpointRequest): Promise<Answer> {
    for (let waits = 0; ; waits++) {
      try {
        return await post(request)
      } catch (error) {
        const seconds = error instanceof StepError ? error.retryAfterSeconds : undefined
        const fits = seconds !== undefined && clock.now() + seconds * 1000 < request.deadlineAt
        if (!fits || !request.waitInPlace || waits >= maxWaits) throw error
        await clock.sleep(seconds * 1000, request.signal)
      }
    }
  }
  return { transcribe }
}

/** The same response, failing once its body has passed the limit. */
function withLimitedBody(response: Response, maxBytes: number): Response {
  let seen = 0
  const counted = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        seen += chunk.byteLength
        if (seen > maxBytes) controller.error(new TypeError(`the answer is longer than ${maxBytes} bytes`))
        else controller.enqueue(chunk)
      },
    }),
  )
  return new Response(counted ?? null, response)
}

/** Tells an error of the client in our words. What the endpoint wrote is not passed on: it may repeat the key. */
function told(error: unknown, log: Logger): StepError {
  if (error instanceof APIConnectionError)
    return new StepError('upstream_error', { transient: true, message: 'The speech endpoint did not answer.' })
  if (!(error instanceof APIError) || error.status === undefined)
    return new StepError('upstream_error', {
      transient: true,
      message: 'The speech endpoint gave an answer that cannot be read.',
      cause: error,
    })
  return toldByStatus(error.status, error.headers, log)
}

function toldByStatus(status: number, headers: Headers | undefined, log: Logger): StepError {
  if (status === 400) return new RequestRefused()
  if (status === 408 || status === 409 || status === 429 || status >= 500) {
    const retryAfterSeconds = secondsOf(headers?.get('retry-after'))
    return new StepError('upstream_error', {
      transient: true,
      message: `The speech endpoint answered ${status}.`,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    })
  }
  if (status === 401 || status === 403)
    log.error({ status }, 'the speech endpoint refuses the key of SPEECH_API_KEY: no transcript can be made')
  else log.error({ status }, 'the speech endpoint refuses requests: look at SPEECH_BASE_URL and SPEECH_MODEL')
  return new StepError('upstream_error', { message: `The speech endpoint refused this service (${status}).` })
}

function secondsOf(header: string | null | undefined): number | undefined {
  const seconds = Number(header ?? Number.NaN)
  return header !== '' && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}
