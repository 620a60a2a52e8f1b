import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Request, RequestHandler, Response } from 'express'
import type { KeyUse } from '#packages/accounts/keys/key-use.ts'
import type { OnWait } from '#packages/foundation/concurrency/single-flight.ts'
import { invalidRequest, ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { Answers } from '../answers/answers.ts'
import { authenticate } from '../authentication/authenticate.ts'
import { keyOrBearer } from '../authentication/presented-key.ts'
import type { ConcurrencyLimit } from '../limits/concurrency-limit.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import { readJsonBody } from '../requests/read-json-body.ts'
import { callerOf, contextOf, setContextHeaders } from '../requests/request-context.ts'

/** The messages in a request to a surface, as the limits count them. */
export type Messages = {
  /** Messages that count as light requests. */
  light: number
  /** Messages with answers that may last. The requests to `/v1` that they make are counted separately. */
  lasting: number
  /** The reason for refusing the request. Its messages are counted all the same. */
  problem?: string
}

/** An admitted request. */
export type MountedCall = {
  key: string
  /** Its span. */
  traceparent: string
  /** Notifies that a wait for the end of a job begins or ends. */
  onWait: OnWait
  /** As `messagesOf` received it. */
  body: unknown
  /** Marks the answer as one without a time limit. */
  lasts(): void
}

/**
 * A surface of another service. The ingress checks the origin and key of a request and counts it before the surface
 * answers.
 */
export type Mounted = {
  /** The largest body, bytes. */
  maxBodyBytes: number
  /** The message if the origin of a request is not allowed; undefined if it is. */
  refusal(headers: IncomingHttpHeaders): string | undefined
  /** @param body as JSON.parse returned it; undefined if the method has none */
  messagesOf(body: unknown): Messages
  answer(request: IncomingMessage, response: ServerResponse, call: MountedCall): void
}

type Parts = {
  answers: Answers
  use: KeyUse
  rates: RateLimits
  concurrency: ConcurrencyLimit
}

const place = 'in the header x-api-key, or as Authorization: Bearer'

/** Hands requests to a surface. A body is read only after the key is known and the request is counted. */
export function mount(parts: Parts, mounted: Mounted): RequestHandler {
  const authenticated = authenticate(parts, { keyOf: keyOrBearer, place })
  const hand = handTo(parts, mounted)
  return async (request, response) => {
    const why = mounted.refusal(request.headers)
    if (why !== undefined) throw new ServiceError('forbidden', why)
    authenticated(request, response)
    await parts.rates.exchanges(response)
    await hand(request, response)
  }
}

const handTo =
  ({ answers, rates, concurrency }: Parts, mounted: Mounted) =>
  async (request: Request, response: Response): Promise<void> => {
    const reading = request.method === 'POST' ? readJsonBody(request, mounted.maxBodyBytes) : Promise.resolve()
    const body = await reading.catch((error) => refuseCounted(error, rates, response))
    const { light, lasting, problem } = mounted.messagesOf(body)
    if (light > 0) await rates.lightRequests(light, response)
    if (problem !== undefined) throw invalidRequest({ path: 'body', message: problem })
    // If the caller has left already, 'close' was emitted and will not be emitted again.
    if (response.closed) return
    const over = concurrency.begin(callerOf(response), lasting)
    response.once('close', () => {
      over()
      answers.given(response)
    })
    const context = contextOf(response)
    const { traceparent } = context
    setContextHeaders(response)
    response.setHeader('Cache-Control', 'no-store')
    mounted.answer(request, response, {
      key: keyOrBearer(request.headers) ?? '',
      body,
      traceparent,
      onWait: (isWaiting) => context.noteWait(isWaiting),
      lasts: () => context.lasts(),
    })
  }

/** A refused body counts as one message. */
async function refuseCounted(error: unknown, rates: RateLimits, response: Response): Promise<never> {
  await rates.lightRequests(1, response)
  throw error
}
