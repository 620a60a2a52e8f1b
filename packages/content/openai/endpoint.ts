import OpenAI from 'openai'
import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { EndpointHealth } from './endpoint-health.ts'
import { type EndpointName, failureOf } from './failure.ts'
import { outcomeOf } from './outcome.ts'

export type EndpointOptions = {
  /**
   * The endpoint's URL, such as `https://api.openai.com/v1`. It is reached directly, because it is the operator's own
   * and not a caller's.
   */
  baseUrl: string
  /** Empty if the endpoint needs no key. */
  apiKey: string
  model: string
  /** Records every call. */
  health: EndpointHealth
  clock: Clock
  log: Logger
}

/** The limits on a request's wait. */
export type Turn = {
  /** Whether to wait after a 429, because other requests for the same work are already paid for. */
  waitInPlace: boolean
  signal: AbortSignal
  /** Milliseconds since 1970, UTC. */
  deadlineAt: number
}

/** How often one request waits after a 429. */
const MAX_WAITS = 3

/** An operator's OpenAI-compatible endpoint, with its errors as StepErrors. */
export class OpenAiEndpoint {
  readonly #client: OpenAI
  readonly #clock: Clock
  readonly #log: Logger
  readonly #name: EndpointName
  readonly #health: EndpointHealth

  /** @param maxAnswerBytes a longer answer cannot be read */
  constructor({ baseUrl, apiKey, health, clock, log }: EndpointOptions, name: EndpointName, maxAnswerBytes: number) {
    this.#client = connect(baseUrl, apiKey, maxAnswerBytes)
    this.#clock = clock
    this.#log = log
    this.#name = name
    this.#health = health
  }

  /**
   * Makes a request and reads its answer. After a 429 it waits as requested and tries again, if it may wait and the
   * deadline allows it.
   * @param turn `slowAfterMs`: a call that takes longer is slow, milliseconds
   * @throws StepError, RequestRefused among them; the signal's reason
   */
  async ask<T>(
    request: (client: OpenAI, limits: { signal: AbortSignal; timeout: number }) => Promise<T>,
    { waitInPlace, signal, deadlineAt, slowAfterMs }: Turn & { slowAfterMs: number },
  ): Promise<T> {
    for (let waits = 0; ; waits++) {
      const ended = this.#health.begin(slowAfterMs)
      try {
        const answer = await request(this.#client, { signal, timeout: Math.max(1, deadlineAt - this.#clock.now()) })
        ended('ok')
        return answer
      } catch (error) {
        ended(outcomeOf(error, signal))
        signal.throwIfAborted()
        const failure = failureOf(error, this.#name, this.#log)
        const waitMs = (failure.retryAfterSeconds ?? Number.POSITIVE_INFINITY) * 1000
        if (!waitInPlace || waits >= MAX_WAITS || this.#clock.now() + waitMs >= deadlineAt) throw failure
        await this.#clock.sleep(waitMs, signal)
      }
    }
  }
}

/** The client of an OpenAI-compatible endpoint. It retries nothing, logs nothing and reads no environment. */
function connect(baseUrl: string, apiKey: string, maxAnswerBytes: number): OpenAI {
  const limited = async (url: string | URL | Request, init?: RequestInit) =>
    withLimitedBody(await fetch(url, init), maxAnswerBytes)
  // without these the client would read OPENAI_… variables and send them to this endpoint
  const unused = { adminAPIKey: null, organization: null, project: null, webhookSecret: null, logLevel: 'off' as const }
  // many self-hosted endpoints have no key, but the client requires one
  return new OpenAI({ ...unused, apiKey: apiKey || 'none', baseURL: baseUrl, maxRetries: 0, fetch: limited })
}

/** The same response, but its body fails if it exceeds the limit. */
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
