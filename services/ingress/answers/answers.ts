import type { Response } from 'express'
import type { ErrorObject } from '#contracts/generated/http.ts'
import type { ServiceError } from '#packages/errors/service-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { type Logger, plainly } from '#packages/telemetry/log.ts'
import type { LoopMonitor } from '#packages/telemetry/loop-monitor.ts'
import { traceIdOf } from '#packages/telemetry/traceparent.ts'
import { contextOf, type RequestContext } from '../requests/request-context.ts'
import { sendBody } from './send-body.ts'

export type Headers = Record<string, string>

const JSON_TYPE = 'application/json; charset=utf-8'

/** The Error object of the specification. */
export const errorObject = (error: Pick<ServiceError, 'code' | 'message' | 'details'>): ErrorObject => ({
  error: error.code,
  message: error.message,
  details: error.details as ErrorObject['details'],
  documentationUrl: null,
})

/** Sends answers, and writes the one line of the log that each request leaves. */
export class Answers {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #loop: LoopMonitor

  constructor({ clock, log, loop }: { clock: Clock; log: Logger; loop: LoopMonitor }) {
    this.#clock = clock
    this.#log = plainly(log)
    this.#loop = loop
  }

  json(response: Response, status: number, body: unknown, headers?: Headers): void {
    this.text(response, status, JSON.stringify(body), headers)
  }

  error(response: Response, error: ServiceError, headers?: Headers): void {
    const retry = error.retryAfterSeconds
    const more = retry === undefined ? headers : { 'Retry-After': String(retry), ...headers }
    this.json(response, error.status, errorObject(error), more)
  }

  /** An answer without a body. */
  empty(response: Response, status: number, headers: Headers): void {
    if (response.headersSent) return
    response.writeHead(status, [...contextOf(response).headers, ...Object.entries(headers).flat()]).end()
    this.#note(contextOf(response), status)
  }

  /** @param body JSON, unless `headers` names another Content-Type; bytes may be shared by many answers */
  text(response: Response, status: number, body: string | Buffer, headers?: Headers): void {
    if (response.headersSent) return
    const context = contextOf(response)
    const all = context.headers
    if (headers?.['Content-Type'] === undefined) all.push('Content-Type', JSON_TYPE)
    // The same path gives each organization something else: no cache on the way may keep an answer.
    if (headers?.['Cache-Control'] === undefined) all.push('Cache-Control', 'no-store')
    for (const name in headers) all.push(name, headers[name] ?? '')
    all.push('Content-Length', String(Buffer.byteLength(body)))
    sendBody(response.writeHead(status, all), body)
    this.#note(context, status)
  }

  /** Logs a request that a mounted surface has answered. */
  given(response: Response): void {
    this.#note(contextOf(response), response.statusCode)
  }

  #note(context: RequestContext, status: number): void {
    this.#loop.note(context)
    const { requestId, method, route, caller, jobId, traceparent } = context
    const ms = this.#clock.now() - context.startedAt
    const fields = {
      requestId,
      method,
      route,
      status,
      ms,
      orgId: caller?.orgId,
      jobId,
      traceId: traceIdOf(traceparent),
    }
    this.#log.info(fields, 'request')
  }
}
