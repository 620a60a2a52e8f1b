import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { RequestHandler, Response } from 'express'
import { invalidRequest, ServiceError } from '#packages/errors/service-error.ts'
import type { KeyRing } from '#packages/keys/key-ring.ts'
import type { KeyUse } from '#packages/keys/key-use.ts'
import type { Answers } from '../answers/answers.ts'
import { authenticate, presentedKey } from '../authentication/authenticate.ts'
import type { ConcurrencyLimit } from '../limits/concurrency-limit.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import { readJsonBody } from '../requests/read-json-body.ts'
import { callerOf, contextOf } from '../requests/request-context.ts'

/** What a request to a surface holds. */
export type Messages = {
  /** Messages that count as light requests. */
  light: number
  /** Messages whose answers may last; what they cost is counted by the requests to `/v1` that they make. */
  lasting: number
  /** Why they are not answered, although they are counted. */
  problem?: string
}

/** A surface of another service. It answers what the ingress has let pass: from where it may come, with a key, counted. */
export type Mounted = {
  /** The largest body, bytes. */
  maxBodyBytes: number
  /** Why a request may not come from where it comes, in words; undefined: it may. */
  refusal(headers: IncomingHttpHeaders): string | undefined
  /** @param body as JSON.parse gave it; undefined where the method has none */
  messagesOf(body: unknown): Messages
  answer(request: IncomingMessage, response: ServerResponse, call: { key: string; body: unknown }): void
}

type Parts = { answers: Answers; keys: KeyRing; use: KeyUse; rates: RateLimits; concurrency: ConcurrencyLimit }

/** Hosts of agents send their key in either header; `x-api-key` is preferred, as everywhere. */
const keyOrBearer = (headers: IncomingHttpHeaders): string | undefined =>
  presentedKey(headers) ?? /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]

const wanted = 'A valid API key is required in the header x-api-key, or as Authorization: Bearer.'

/** Everything before the surface itself: nothing of a body is read before the key is known and the request is counted. */
export const mount = (parts: Parts, mounted: Mounted): RequestHandler[] => [
  refuseStrangers(mounted),
  authenticate(parts, { keyOf: keyOrBearer, wanted }),
  parts.rates.exchanges,
  handTo(parts, mounted),
]

const refuseStrangers =
  ({ refusal }: Mounted): RequestHandler =>
  (request, _response, next) => {
    const why = refusal(request.headers)
    if (why !== undefined) throw new ServiceError('forbidden', why)
    next()
  }

const handTo =
  ({ answers, rates, concurrency }: Parts, mounted: Mounted): RequestHandler =>
  async (request, response) => {
    const reading = request.method === 'POST' ? readJsonBody(request, mounted.maxBodyBytes) : Promise.resolve()
    const body = await reading.catch((error) => refuseCounted(error, rates, response))
    const { light, lasting, problem } = mounted.messagesOf(body)
    if (light > 0) await rates.lightRequests(light, response)
    if (problem !== undefined) throw invalidRequest({ path: 'body', message: problem })
    // Whoever has gone meanwhile has closed the answer, which is told once.
    if (response.closed) return
    const { orgId, keyId } = callerOf(response)
    const over = concurrency.begin({ orgId, keyId }, lasting)
    response.once('close', () => {
      over()
      answers.given(response)
    })
    const { headers } = contextOf(response)
    for (let n = 0; n < headers.length; n += 2) response.setHeader(headers[n] ?? '', headers[n + 1] ?? '')
    response.setHeader('Cache-Control', 'no-store')
    mounted.answer(request, response, { key: keyOrBearer(request.headers) ?? '', body })
  }

/** A body that is refused counts as one message. */
async function refuseCounted(error: unknown, rates: RateLimits, response: Response): Promise<never> {
  await rates.lightRequests(1, response)
  throw error
}
