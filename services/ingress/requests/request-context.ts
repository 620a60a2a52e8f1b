import type { IncomingMessage } from 'node:http'
import type { Request, Response } from 'express'
import type { EventMetadata } from '#contracts/generated/messages.ts'
import type { Caller } from '#packages/keys/caller.ts'
import type { Asker } from '#packages/lookups/asker.ts'
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

/** An `X-Request-Id` of a caller that does no harm in a header, a line of the log or a page. */
const HARMLESS_ID = /^[\w.:-]{1,64}$/

/** The context of a request while it is served. It is logged as one line when the request is answered. */
export class RequestContext {
  /** A fresh UUID: events, spans and shares of a caller's reads are named after it, because a caller's id could name two requests. */
  readonly requestId: string
  /** The id in `X-Request-Id`, the log and the span: the caller's where it sent a harmless one. */
  readonly shownId: string
  /** When it came, milliseconds since 1970. */
  readonly startedAt: number
  /** The same instant on the clock that never goes back, milliseconds. */
  readonly begunAt = performance.now()
  readonly method: string
  /** As it came, with its query: never told as it is. */
  readonly url: string
  /** Of the URL that callers use. */
  readonly scheme: 'http' | 'https'
  /** Headers of every answer to this request: names and values in turn, the form that Node writes fastest. */
  readonly headers: string[]
  /** The parent of the request's own span: the root of the job that it begins, else the caller's span, where it sent one. */
  parentSpanId: string | undefined
  /** Traceparents of spans that the request follows without being their child. */
  links: readonly string[] = []
  /** Where it comes from, as the limits group addresses. */
  readonly address: string
  /** Hash of the key that it carries; undefined where it carries none. */
  readonly keyHash: string | undefined
  /** Calls its argument when it is this caller's turn to have an answer made or sent. */
  readonly inTurn: (work: () => void) => void
  /** The route that serves it, as in the OpenAPI document. The path is not logged, because it may hold secrets. */
  route = ''
  /** Whose key it carries; undefined where it was not looked up, or is not known. */
  caller: Caller | undefined
  /** Whose session it has, as the pages know it; undefined where it has none, or was not looked up. */
  visitor: unknown
  /** The organization that it is about. */
  orgId: string | undefined
  /** The job that it is about, and that job's trace. */
  job: { jobId: string; traceId: string } | undefined
  /** The balance of the organization, for an answer that shows it. */
  creditsRemaining: number | undefined
  /** Code of the error that it was answered with. */
  errorCode: string | undefined
  /** It is a poll of a job that has not ended: its line of the log is for `debug`. */
  isEarlyPoll = false
  /** It reads platforms for nothing. */
  isFreeRead = false
  /** When the answer became one that lasts as long as its reader likes, on the clock of `begunAt`. */
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

  /** What names it in a line of the log: with its span, where the id is the caller's and does not tell it. */
  get logged(): { requestId: string; spanId?: string } {
    const isOwn = this.shownId === this.requestId
    return { requestId: this.shownId, ...(!isOwn && { spanId: spanIdFrom(this.requestId) }) }
  }

  /** Tells that a wait that the caller has asked for begins or ends; several may be under way at once. */
  noteWait(isWaiting: boolean): void {
    const now = performance.now()
    if (isWaiting && this.#waits === 0) this.#waitsSince = now
    this.#waits += isWaiting ? 1 : -1
    if (this.#waits === 0) this.#waitedMs += now - this.#waitsSince
  }

  /** How long the answer has been held back because the caller asked to wait, milliseconds. */
  get waitedMs(): number {
    return this.#waitedMs + (this.#waits > 0 ? performance.now() - this.#waitsSince : 0)
  }

  /** From here on the answer lasts as long as its reader likes: a stream of events. */
  lasts(): void {
    this.lastsSince ??= performance.now()
  }

  /**
   * The request's own span. It continues the trace that the caller sent, or starts one that is named after the request.
   * Whether it is recorded is ours to decide: the caller's sampled flag decides nothing. Polls make none where nothing
   * is exported.
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
 * Notes that this request began a job, or repeats the one that did. In the job's trace it is part of the job; a repeat in
 * a trace of its own follows it.
 * @param traceparent that the job was requested with
 */
export function joinJob(context: RequestContext, { jobId, traceparent }: { jobId: string; traceparent: string }): void {
  const root = jobSpanOf(jobId, traceparent)
  context.job = { jobId, traceId: traceIdOf(traceparent) }
  // In the caller's trace, an ingress may have decided otherwise than this one: the root is recorded as it was begun.
  if (root !== jobSpanOf(jobId, context.traceparent)) {
    context.links = [root]
    return
  }
  if (context.parentSpanId !== undefined) context.links = [inTraceOf(traceparent, context.parentSpanId)]
  context.parentSpanId = spanIdFrom(jobId)
}

/** Notes that this request is about a job that another one began: its span follows the job's. */
export function followJob(
  context: RequestContext,
  { jobId, traceparent }: { jobId: string; traceparent: string },
): void {
  context.job = { jobId, traceId: traceIdOf(traceparent) }
  context.links = [jobSpanOf(jobId, traceparent)]
}

/** Notes that this request may have begun a job. It is part of it where no other request can begin it in another trace. */
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

/** Sets the headers that every answer to this request has, on an answer that is not written by `Answers`. */
export function setContextHeaders(response: Response): void {
  const { headers } = contextOf(response)
  for (let n = 0; n < headers.length; n += 2) response.setHeader(headers[n] ?? '', headers[n + 1] ?? '')
}

export const contextOf = (response: Response): RequestContext => response.locals.context as RequestContext

/** The caller of a request that was authenticated. */
export function callerOf(response: Response): Caller {
  const { caller } = contextOf(response)
  if (caller === undefined) throw new Error('this route is not behind authentication')
  return caller
}

/** The caller of a lookup by this request. */
export const askerOf = (response: Response): Asker => ({
  orgId: callerOf(response).orgId,
  requestId: contextOf(response).requestId,
})

/** Metadata of events that this request causes. `correlationId`: the job's id, or the request's where there is none. */
export function metadataOf(response: Response, correlationId?: string): EventMetadata {
  const { requestId, traceparent } = contextOf(response)
  const { orgId } = callerOf(response)
  return { orgId, correlationId: correlationId ?? requestId, causationId: requestId, traceparent }
}

/** A path parameter. */
export const pathParameter = (request: Request, name: string): string => {
  const value = request.params[name]
  return typeof value === 'string' ? value : ''
}
