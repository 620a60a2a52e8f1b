import type { IncomingMessage } from 'node:http'
import type { Request, Response } from 'express'
import type { EventMetadata } from '#contracts/generated/messages.ts'
import type { Caller } from '#packages/accounts/keys/caller.ts'
import type { Asker } from '#packages/platforms/lookups/asker.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import {
  inTraceOf,
  jobSpanOf,
  parseTraceparent,
  spanIdFrom,
  toTraceparent,
  traceIdFrom,
  traceIdOf,
} from '#packages/telemetry/traceparent.ts'

type Arrived = Pick<RequestContext, 'requestId' | 'address' | 'startedAt' | 'keyHash' | 'inTurn' | 'scheme'>

/** A caller's `X-Request-Id` that is harmless in a header, a log line or a page. */
const HARMLESS_ID = /^[\w.:-]{1,64}$/

/** The context of a request while it is served. It is logged as one line when the request is answered. */
export class RequestContext {
  /** A fresh UUID. Events, spans and shares of a caller's reads are named after it, because callers may reuse an id. */
  readonly requestId: string
  /** The id in `X-Request-Id`, the log and the span: the caller's if it sent a harmless one. */
  readonly shownId: string
  /** Time of arrival, milliseconds since 1970. */
  readonly startedAt: number
  /** Time of arrival on the clock that never goes back, milliseconds. */
  readonly begunAt = performance.now()
  readonly method: string
  /** The URL as received, with its query. Never logged or shown unchanged. */
  readonly url: string
  /** The scheme of the URL that callers use. */
  readonly scheme: 'http' | 'https'
  /** Headers of every answer to this request: alternating names and values, the form that Node writes fastest. */
  readonly headers: string[]
  /**
   * The parent of the request's own span: the root of the job that it begins, else the caller's span, if it sent one.
   */
  parentSpanId: string | undefined
  /** Traceparents of spans that the request follows without being their child. */
  links: readonly string[] = []
  /** The remote address, as the limits group it. */
  readonly address: string
  /** Hash of its key; undefined if it has none. */
  readonly keyHash: string | undefined
  /** Calls its argument when it is this caller's turn to have an answer made or sent. */
  readonly inTurn: (work: () => void) => void
  /** What the loop's monitor keeps of it for a while. It would keep all of the request in memory with the context. */
  readonly section = { route: '' }
  /** The owner of its key; undefined if the key was not looked up or is unknown. */
  caller: Caller | undefined
  /** The owner of its session, as the pages know it; undefined if there is no session, or it was not looked up. */
  visitor: unknown
  /** The organization that the request is about. */
  orgId: string | undefined
  /** The job that the request is about, and that job's trace. */
  job: { jobId: string; traceId: string } | undefined
  /** The balance of the organization, for an answer that shows it. */
  creditsRemaining: number | undefined
  /** The error code of the request's answer. */
  errorCode: string | undefined
  /** True for a poll of a job that has not ended: its log line has the level `debug`. */
  isEarlyPoll = false
  /** True if the request reads platforms for free. */
  isFreeRead = false
  /** When the answer became one of unlimited duration, on the clock of `begunAt`. */
  lastsSince: number | undefined
  readonly #telemetry: Telemetry
  readonly #callersTraceId: string | undefined
  #traceparent: string | undefined
  #waits = 0
  #waitsSince = 0
  #waitedMs = 0

  constructor(
    request: IncomingMessage,
    { requestId, address, startedAt, keyHash, inTurn, scheme }: Arrived,
    telemetry: Telemetry,
  ) {
    const { traceparent, 'x-request-id': given } = request.headers
    const caller = typeof traceparent === 'string' ? parseTraceparent(traceparent) : undefined
    this.requestId = requestId
    this.shownId = typeof given === 'string' && HARMLESS_ID.test(given) ? given : requestId
    this.address = address
    this.keyHash = keyHash
    this.inTurn = inTurn
    this.startedAt = startedAt
    this.method = request.method ?? ''
    this.url = request.url ?? ''
    this.scheme = scheme
    this.headers = ['X-Request-Id', this.shownId]
    this.parentSpanId = caller?.spanId
    this.#callersTraceId = caller?.traceId
    this.#telemetry = telemetry
  }

  /** The route that serves it, as in the OpenAPI document. The path is not logged, because it may hold secrets. */
  get route(): string {
    return this.section.route
  }

  set route(route: string) {
    this.section.route = route
  }

  /**
   * The ids of the request for a log line. Includes the span if the id is the caller's, because the span does not
   * follow from that.
   */
  get logged(): { requestId: string; spanId?: string } {
    const isOwn = this.shownId === this.requestId
    return { requestId: this.shownId, ...(!isOwn && { spanId: spanIdFrom(this.requestId) }) }
  }

  /** Notes that a wait at the caller's request begins or ends. Several may run at once. */
  noteWait(isWaiting: boolean): void {
    const now = performance.now()
    if (isWaiting && this.#waits === 0) this.#waitsSince = now
    this.#waits += isWaiting ? 1 : -1
    if (this.#waits === 0) this.#waitedMs += now - this.#waitsSince
  }

  /** How long the answer was delayed because the caller asked to wait, milliseconds. */
  get waitedMs(): number {
    return this.#waitedMs + (this.#waits > 0 ? performance.now() - this.#waitsSince : 0)
  }

  /** From here on the answer has no time limit: it is a stream of events. */
  lasts(): void {
    this.lastsSince ??= performance.now()
  }

  /**
   * The request's own span. It continues the caller's trace, or starts one with an id derived from the request's. We
   * decide whether it is recorded: the caller's sampled flag is ignored. Polls make no span if nothing is exported.
   */
  get traceparent(): string {
    this.#traceparent ??= this.#ownTraceparent()
    return this.#traceparent
  }

  #ownTraceparent(): string {
    const traceId = this.#callersTraceId ?? traceIdFrom(this.requestId)
    return toTraceparent(traceId, spanIdFrom(this.requestId), this.#telemetry.isSampled(traceId))
  }
}

/**
 * Notes that this request began a job, or repeats the request that did. In the job's trace its span is part of the job;
 * in another trace its span follows the job.
 * @param traceparent the trace that the job was requested with
 */
export function joinJob(context: RequestContext, { jobId, traceparent }: { jobId: string; traceparent: string }): void {
  const root = jobSpanOf(jobId, traceparent)
  context.job = { jobId, traceId: traceIdOf(traceparent) }
  // Another ingress may have sampled the caller's trace differently. The root was recorded when the job began.
  if (root !== jobSpanOf(jobId, context.traceparent)) {
    context.links = [root]
    return
  }
  if (context.parentSpanId !== undefined) context.links = [inTraceOf(traceparent, context.parentSpanId)]
  context.parentSpanId = spanIdFrom(jobId)
}

/** Notes that this request is about a job that another one began. Its span follows the job's. */
export function followJob(
  context: RequestContext,
  { jobId, traceparent }: { jobId: string; traceparent: string },
): void {
  context.job = { jobId, traceId: traceIdOf(traceparent) }
  context.links = [jobSpanOf(jobId, traceparent)]
}

/**
 * Notes that this request may have begun a job. Its span is part of the job, unless another request can begin the job
 * in another trace.
 */
export function joinUnknownJob(
  context: RequestContext,
  { jobId, isShared }: { jobId: string; isShared: boolean },
): void {
  const { traceparent } = context
  if (isShared) context.job = { jobId, traceId: traceIdOf(traceparent) }
  else joinJob(context, { jobId, traceparent })
}

export const setContext = (response: Response, context: RequestContext): void => {
  response.locals = { context }
}

/** Sets the headers of this request's answers on an answer that `Answers` does not write. */
export function setContextHeaders(response: Response): void {
  const { headers } = contextOf(response)
  for (let n = 0; n < headers.length; n += 2) response.setHeader(headers[n] ?? '', headers[n + 1] ?? '')
}

export const contextOf = (response: Response): RequestContext => response.locals.context as RequestContext

/** The caller of an authenticated request. */
export function callerOf(response: Response): Caller {
  const { caller } = contextOf(response)
  if (caller === undefined) throw new Error('this route is not behind authentication')
  return caller
}

export const orgOf = (response: Response): string => callerOf(response).orgId

/** The caller of a lookup by this request. */
export const askerOf = (response: Response): Asker => ({
  orgId: orgOf(response),
  requestId: contextOf(response).requestId,
})

/** Metadata of events that this request causes. */
export function metadataOf(response: Response): EventMetadata {
  const { requestId, traceparent } = contextOf(response)
  return { orgId: orgOf(response), correlationId: requestId, causationId: requestId, traceparent }
}

/** A path parameter. */
export const pathParameter = (request: Request, name: string): string => {
  const value = request.params[name]
  return typeof value === 'string' ? value : ''
}

/** The path parameter `id`. */
export const idIn = (request: Request): string => pathParameter(request, 'id')
