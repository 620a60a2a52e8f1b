import type { IncomingHttpHeaders } from 'node:http'
import type { Request, RequestHandler, Response } from 'express'
import Negotiator from 'negotiator'
import type { Timeline as TimelineBody } from '#contracts/generated/http.ts'
import { Query } from '#packages/foundation/validation/query.ts'
import { followJob, hasEnded } from '#packages/jobs/status/follow-job.ts'
import type { Owned, ShownEvents } from '#packages/jobs/status/job-history.ts'
import { noSuchJob } from '#packages/jobs/status/no-such-job.ts'
import { Timeline } from '#packages/jobs/status/timeline.ts'
import { traceIdOf } from '#packages/telemetry/traceparent.ts'
import { EventStream } from '../answers/event-stream.ts'
import { lastingAnswer } from '../answers/lasting-answer.ts'
import type { Operations } from '../authentication/permit.ts'
import { presentedKey } from '../authentication/presented-key.ts'
import { contextOf, orgOf, pathParameter } from '../requests/request-context.ts'
import type { Answering, RouteParts } from './route-parts.ts'

type Parts = Answering & Pick<RouteParts, 'history' | 'keys' | 'clock' | 'concurrency' | 'log' | 'closing'>

/** A longer `Accept` is ignored, because parse time grows with the square of its length, characters. */
const MAX_ACCEPT_LENGTH = 1024

const forms = ['application/json', 'text/event-stream']

function wantsStream({ method, headers: { accept = '*/*' } }: Request): boolean {
  if (method !== 'GET' || accept === '*/*' || accept.length > MAX_ACCEPT_LENGTH) return false
  return new Negotiator({ headers: { accept } }).mediaType(forms) === 'text/event-stream'
}

/** The event after which to resume; 0: from the beginning. @throws ServiceError invalid_request */
function afterOf(url: string, headers: IncomingHttpHeaders): number {
  const after = new Query(url).integer('after', { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 })
  const last = headers['last-event-id']
  return typeof last === 'string' && /^\d{1,15}$/.test(last) ? Number(last) : after
}

/** The operation on the events of a job, by its path below /v1. */
export const jobEventOperations = (parts: Parts): Record<string, Operations> => ({
  '/jobs/{jobId}/events': { GET: { scope: 'read', limit: parts.rates.light, answer: getJobEvents(parts) } },
})

/** As JSON, or live by `Accept: text/event-stream`. */
const getJobEvents =
  (parts: Parts): RequestHandler =>
  async (request, response) => {
    const { history, answers } = parts
    const owned = { jobId: pathParameter(request, 'jobId'), orgId: orgOf(response) }
    const after = afterOf(request.url, request.headers)
    const shown = await history.read(owned)
    const [first] = shown?.events ?? []
    if (shown === undefined || first === undefined) throw noSuchJob()
    contextOf(response).job = { jobId: owned.jobId, traceId: traceIdOf(first.metadata.traceparent) }
    if (wantsStream(request)) return stream(parts, request, response, { owned, shown, after })
    const events = new Timeline().tell(shown).filter(({ id }) => id > after)
    answers.json(response, 200, { events, ended: hasEnded(shown) } satisfies TimelineBody, { Vary: 'Accept' })
  }

type Asked = { owned: Owned; shown: ShownEvents; after: number }

/** Answers with a stream until the job has ended, the caller leaves, its key is revoked or the server closes. */
function stream(parts: Parts, request: Request, response: Response, asked: Asked): Promise<void> {
  const secret = presentedKey(request.headers) ?? ''
  return lastingAnswer(parts, response, (signal) =>
    follow(parts, { ...asked, secret, stream: new EventStream(response, parts.clock), signal }),
  )
}

type Following = Asked & { secret: string; stream: EventStream; signal: AbortSignal }

async function follow({ history, keys, clock }: Parts, following: Following): Promise<void> {
  const { secret, stream, signal } = following
  for await (const { events, ended } of followJob({ history, clock }, following, signal)) {
    if ((await keys.find(secret)) === undefined) return
    for (const event of events) await stream.send({ id: event.id, event: event.type, data: event }, signal)
    if (ended) return stream.send({ event: 'end', data: {} }, signal)
    await stream.beat(signal)
  }
}
