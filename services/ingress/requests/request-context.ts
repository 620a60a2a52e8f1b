import type { IncomingMessage } from 'node:http'
import type { Request, Response } from 'express'
import type { EventMetadata } from '#contracts/generated/messages.ts'
import type { Caller } from '#packages/keys/caller.ts'
import type { Asker } from '#packages/lookups/asker.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'

/** What is known of a request while it is served; logged as one line when it is answered. */
export type RequestContext = {
  requestId: string
  /** When it came, milliseconds since 1970. */
  startedAt: number
  traceparent: string
  /** Headers of the answer, whatever it is: names and values in turn, the form that Node writes fastest. */
  headers: string[]
  method: string
  /** The route that serves it, as the OpenAPI document spells it: a path may carry what must not be logged. */
  route: string
  caller: Caller | undefined
  jobId: string | undefined
}

/** @param requestId a fresh UUID: one sent by the caller could name two requests, and is not taken over */
export const newRequestContext = (request: IncomingMessage, requestId: string, startedAt: number): RequestContext => ({
  requestId,
  startedAt,
  traceparent: traceparentOf(request.headers.traceparent, requestId),
  headers: ['X-Request-Id', requestId],
  method: request.method ?? '',
  route: '',
  caller: undefined,
  jobId: undefined,
})

/** Continues the trace that the caller sent, or starts one that is named after the request. */
function traceparentOf(incoming: string | string[] | undefined, requestId: string): string {
  if (typeof incoming === 'string') return newTraceparent(incoming)
  const half = requestId.slice(19, 23) + requestId.slice(24)
  return `00-${requestId.slice(0, 8)}${requestId.slice(9, 13)}${requestId.slice(14, 18)}${half}-${half}-01`
}

export const setContext = (response: Response, context: RequestContext): void => {
  response.locals = { context }
}

export const contextOf = (response: Response): RequestContext => response.locals.context as RequestContext

/** The caller of a request that was authenticated. */
export function callerOf(response: Response): Caller {
  const { caller } = contextOf(response)
  if (caller === undefined) throw new Error('this route is not behind authentication')
  return caller
}

/** Who looks something up in the outside by this request. */
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
