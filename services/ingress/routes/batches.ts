import type { Request, RequestHandler, Response } from 'express'
import { itemStates } from '#packages/domain/batch/state.ts'
import { mostItemsOf, type Plan } from '#packages/domain/credits/plans.ts'
import { writeTo } from '#packages/foundation/concurrency/write-to.ts'
import { invalidRequest } from '#packages/foundation/errors/service-error.ts'
import { Query } from '#packages/foundation/validation/query.ts'
import { idempotencyKeyOf } from '#packages/jobs/acceptance/idempotency-key.ts'
import { isShortOfCredits } from '#packages/jobs/acceptance/short-of-credits.ts'
import { surfaceOf } from '#packages/jobs/acceptance/surface.ts'
import { batchRequestOf } from '#packages/jobs/batches/batch-request.ts'
import { BatchResults, formatsOf, resultFormats } from '#packages/jobs/batches/batch-results.ts'
import type { BodyForm, ParsedBody } from '#packages/jobs/batches/body/parse-body.ts'
import type { OwnBatch } from '#packages/jobs/batches/own-batch.ts'
import { webhookNamedIn } from '#packages/jobs/webhooks/named-webhook.ts'
import type { Work } from '../answers/answers.ts'
import { EventStream } from '../answers/event-stream.ts'
import { lastingAnswer } from '../answers/lasting-answer.ts'
import type { Operation, Operations } from '../authentication/permit.ts'
import { presentedKey } from '../authentication/presented-key.ts'
import type { IngressOptions } from '../options.ts'
import { bodyTypeOf, readBody } from '../requests/read-body.ts'
import { callerOf, idIn, metadataOf, orgOf, setContextHeaders } from '../requests/request-context.ts'
import { whileOpen } from '../requests/while-open.ts'
import { type Answering, lightOperations, type RouteParts } from './route-parts.ts'

type Parts = Answering &
  Pick<
    RouteParts,
    | 'batches'
    | 'bodies'
    | 'watch'
    | 'results'
    | 'webhooks'
    | 'details'
    | 'schemas'
    | 'keys'
    | 'clock'
    | 'concurrency'
    | 'log'
    | 'closing'
  >

type Options = Pick<IngressOptions, 'maxBodyBytes' | 'maxBatchBytes' | 'batchMaxItems' | 'extracts' | 'speech'>

const limits = { min: 1, max: 100, fallback: 20 }
const MAX_CURSOR_LENGTH = 128
const MAX_SHARED_LENGTH = 8000

const forms = { 'application/json': 'json', 'application/x-ndjson': 'ndjson', 'text/csv': 'csv' } as const
const bodyTypes = Object.keys(forms) as (keyof typeof forms)[]

/** How often a stream checks its batch, milliseconds. */
const LOOK_EVERY_MS = 1000

/** The operations on batches, by path below /v1. */
export function batchOperations(parts: Parts, options: Options): Record<string, Operations> {
  const { batches, rates } = parts
  const light = lightOperations(parts)
  const reads = (work: Work): Operation => light('read', 200, work)

  return {
    '/batches': {
      GET: reads((request, response) => batches.list(orgOf(response), pageIn(new Query(request.url)))),
      POST: { scope: 'jobs', limit: rates.heavy, answer: postBatch(parts, options) },
    },
    '/batches/{id}': {
      GET: reads((request, response) => batches.get(orgOf(response), idIn(request))),
      DELETE: light('jobs', 200, (request, response) => {
        const by = { by: callerOf(response).keyId, metadata: metadataOf(response) }
        return batches.cancel(idIn(request), by)
      }),
    },
    '/batches/{id}/items': {
      GET: reads((request, response) => {
        const query = new Query(request.url)
        const question = { state: query.oneOf('state', itemStates), ...pageIn(query) }
        return batches.items(orgOf(response), idIn(request), question)
      }),
    },
    '/batches/{id}/results': { GET: { scope: 'read', limit: rates.heavy, answer: getResults(parts) } },
    '/batches/{id}/events': { GET: { scope: 'read', limit: rates.light, answer: getEvents(parts) } },
  }
}

const pageIn = (query: Query) => ({
  cursor: query.text('cursor', MAX_CURSOR_LENGTH),
  limit: query.integer('limit', limits),
})

/** POST /v1/batches */
const postBatch =
  (parts: Parts, options: Options): RequestHandler =>
  async (request, response) => {
    const { batches, rates, answers, details, schemas } = parts
    const { extracts, speech, batchMaxItems } = options
    const idempotencyKey = idempotencyKeyOf(request.headers['idempotency-key'])
    const caller = callerOf(response)
    const { orgId, keyId, grant } = caller
    const plan = await details.planOf(orgId)
    const mostItems = mostItemsOf(plan, batchMaxItems)
    const body = await readBatch(parts, { request, response, plan, mostItems }, options)
    const asked = await batchRequestOf(body, { orgId, mostItems }, { schemas, extracts, ...speech })
    const metadata = metadataOf(response)
    const application = {
      ...asked,
      keyId,
      monthlyCredits: grant.monthlyCredits,
      surface: surfaceOf(request.headers['user-agent']),
      idempotencyKey,
      webhook: webhookNamedIn(body.shared, parts, { by: caller, metadata }),
      metadata,
    }
    const { batchId } = await batches.create(application).catch(async (error: unknown) => {
      if (isShortOfCredits(error)) await rates.giveHeavyBack(response)
      throw error
    })
    answers.json(response, 202, await batches.get(orgId, batchId), { Location: `/v1/batches/${batchId}` })
  }

type Sent = { request: Request; response: Response; plan: Plan; mostItems: number }

/** On the plan Free a batch may be as large as one job. */
function readBatch(
  { bodies, closing }: Parts,
  { request, response, plan, mostItems }: Sent,
  { maxBodyBytes, maxBatchBytes }: Options,
): Promise<ParsedBody> {
  const form = forms[bodyTypeOf(request, bodyTypes)]
  const maxBytes = plan === 'free' ? maxBodyBytes : maxBatchBytes
  const isSmall = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= maxBodyBytes
  const isLarge = maxBytes > maxBodyBytes && !isSmall
  const shared = sharedIn(request, form)
  return whileOpen(response, closing, async (signal) => {
    const reader = { orgId: orgOf(response), signal }
    const body = await bodies.read(
      { isLarge, form, mostRequests: mostItems },
      () => readBody(request, maxBytes),
      reader,
    )
    return shared === undefined ? body : { ...body, shared }
  })
}

/**
 * The parameters beside a table's requests; undefined for other forms, which have them in the body. @throws
 * ServiceError invalid_request
 */
function sharedIn({ url }: Request, form: BodyForm): unknown {
  const text = new Query(url).text('batch', MAX_SHARED_LENGTH)
  if (form !== 'csv') return undefined
  if (text === undefined) throw invalidRequest({ path: 'batch', message: 'is required with text/csv' })
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw invalidRequest({ path: 'batch', message: 'must be JSON' })
  }
}

/** GET /v1/batches/{id}/results */
const getResults = (parts: Parts): RequestHandler => {
  const files = new BatchResults(parts)
  return async (request, response) => {
    const batchId = idIn(request)
    const batch = await parts.batches.read(orgOf(response), batchId)
    const format = new Query(request.url).oneOf('format', resultFormats) ?? 'ndjson'
    if (!formatsOf(batch.request.kind).includes(format))
      throw invalidRequest({ path: 'format', message: 'must be ndjson or csv: the others are for transcripts' })
    await lastingAnswer(parts, response, async (signal) => {
      const { contentType, name, parts: written } = files.file({ batchId, batch, format, signal })
      setContextHeaders(response)
      response.setHeader('Content-Type', contentType)
      response.setHeader('Content-Disposition', `attachment; filename="${name}"`)
      response.setHeader('Cache-Control', 'no-store')
      if (request.method === 'HEAD') return
      for await (const part of written) await writeTo(response, part, signal)
      signal.throwIfAborted()
    })
  }
}

/** GET /v1/batches/{id}/events */
const getEvents =
  (parts: Parts): RequestHandler =>
  async (request, response) => {
    const batchId = idIn(request)
    const first = await parts.batches.get(orgOf(response), batchId)
    const secret = presentedKey(request.headers) ?? ''
    if (request.method === 'HEAD')
      return parts.answers.text(response, 200, '', {
        'Content-Type': 'text/event-stream; charset=utf-8',
        Vary: 'Accept',
      })
    await lastingAnswer(parts, response, (signal) =>
      follow(parts, new EventStream(response, parts.clock), { batchId, first, secret, response, signal }),
    )
  }

type Following = { batchId: string; first: OwnBatch; secret: string; response: Response; signal: AbortSignal }

async function follow({ batches, keys, clock }: Parts, stream: EventStream, following: Following): Promise<void> {
  const { batchId, first, secret, response, signal } = following
  let sent = ''
  for (
    let shown = first;
    (await keys.find(secret)) !== undefined;
    shown = await batches.get(orgOf(response), batchId)
  ) {
    // A new expected end alone is not sent: it is sent together with other changes.
    const text = JSON.stringify({ ...shown, expectedEndAt: null })
    if (text !== sent) await stream.send({ event: 'batch', data: shown }, signal)
    sent = text
    await stream.beat(signal)
    if (shown.status === 'ended') return stream.send({ event: 'end', data: {} }, signal)
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined)
    if (signal.aborted) return
  }
}
