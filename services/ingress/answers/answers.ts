import type { Request, RequestHandler, Response } from 'express'
import type { RequestCounts } from '#packages/accounts/request-counts/request-counts.ts'
import type { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { LoopMonitor } from '#packages/telemetry/loop-monitor.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { traceIdOf } from '#packages/telemetry/traceparent.ts'
import { contextOf, type RequestContext } from '../requests/request-context.ts'
import type { ErrorObjects } from './error-objects.ts'
import { noteRequest } from './note-request.ts'
import { RequestLines } from './request-lines.ts'

export type Headers = Record<string, string>

/** Makes the body of an answer. */
export type Work = (request: Request, response: Response) => Promise<unknown>

const JSON_TYPE = 'application/json; charset=utf-8'

type Ports = {
  clock: Clock
  log: Logger
  loop: LoopMonitor
  telemetry: Telemetry
  errors: ErrorObjects
  counts: RequestCounts
}

/** Sends answers, and records each answered request: its log line, its span and its duration. */
export class Answers implements Disposable {
  readonly #ports: Ports
  readonly #lines: RequestLines

  constructor(ports: Ports) {
    this.#ports = ports
    this.#lines = new RequestLines(ports.log)
  }

  json(response: Response, status: number, body: unknown, headers?: Headers): void {
    this.text(response, status, JSON.stringify(body), headers)
  }

  /** A handler that answers with what `work` returns, as JSON. */
  with(status: number, work: Work): RequestHandler {
    return async (request, response) => this.json(response, status, await work(request, response))
  }

  error(response: Response, error: ServiceError, headers?: Headers): void {
    const retry = error.retryAfterSeconds
    contextOf(response).errorCode = error.code
    const more = retry === undefined ? headers : { 'Retry-After': String(retry), ...headers }
    this.json(response, error.status, this.#ports.errors.of(error), more)
  }

  /** An answer without a body. */
  empty(response: Response, status: number, headers: Headers): void {
    if (response.headersSent) return
    const context = contextOf(response)
    addJobHeaders(context)
    response.writeHead(status, [...context.headers, ...Object.entries(headers).flat()]).end()
    this.#note(context, status)
  }

  /** @param body JSON, unless `headers` names another Content-Type; many answers may share its bytes */
  text(response: Response, status: number, body: string | Buffer, headers?: Headers): void {
    if (response.headersSent) return
    const context = contextOf(response)
    addJobHeaders(context)
    const all = context.headers
    if (headers?.['Content-Type'] === undefined) all.push('Content-Type', JSON_TYPE)
    // The same path has another answer for each organization, so no shared cache may store it.
    if (headers?.['Cache-Control'] === undefined) all.push('Cache-Control', 'no-store')
    for (const name in headers) all.push(name, headers[name] ?? '')
    all.push('Content-Length', String(Buffer.byteLength(body)))
    response.writeHead(status, all).end(body)
    this.#note(context, status)
  }

  /** Records a request that a mounted surface has answered itself. */
  given(response: Response): void {
    this.#note(contextOf(response), response.statusCode)
  }

  /** Logs our own faults, for requests that may have lines in the log. */
  failed(context: RequestContext, error: ServiceError, message: string): void {
    const { logged, route, orgId } = context
    if (this.#lines.allows({ context, status: error.status }))
      this.#ports.log.error({ ...logged, route, orgId, err: error.cause }, message)
  }

  [Symbol.dispose](): void {
    this.#lines[Symbol.dispose]()
  }

  /** Counts requests that no event records: free reads, and refused requests. */
  #count({ orgId, route, errorCode, isFreeRead }: RequestContext): void {
    if (orgId === undefined) return
    const { counts } = this.#ports
    if (errorCode !== undefined) counts.count(orgId, 'refused', errorCode)
    else if (isFreeRead) counts.count(orgId, 'reads', route)
  }

  #note(context: RequestContext, status: number): void {
    const { clock, log, loop, telemetry } = this.#ports
    loop.note(context.section)
    noteRequest(telemetry, context, status)
    this.#count(context)
    if (!this.#lines.allows({ context, status })) return
    const { logged, method, route, orgId, job } = context
    const ms = clock.now() - context.startedAt
    const traceId = job?.traceId ?? traceIdOf(context.traceparent)
    const line = { ...logged, method, route, status, ms, orgId, jobId: job?.jobId, traceId }
    log[context.isEarlyPoll ? 'debug' : 'info'](line, 'request')
  }
}

/** Adds the job's trace to an answer about a job, and the balance if the route has put it into the context. */
export function addJobHeaders({ headers, job, creditsRemaining }: RequestContext): void {
  if (job !== undefined) headers.push('X-Trace-Id', job.traceId)
  if (creditsRemaining !== undefined) headers.push('X-Credits-Remaining', String(creditsRemaining))
}
