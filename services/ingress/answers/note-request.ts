import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { isSampled } from '#packages/telemetry/traceparent.ts'
import type { RequestContext } from '../requests/request-context.ts'

/** Methods that are told apart: an anonymous caller may send any other that HTTP knows. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'])

/** The span of an answered request, and how long its answer took. */
export function noteRequest(telemetry: Telemetry, context: RequestContext, status: number): void {
  if (!telemetry.isExported) return
  const method = methods.has(context.method) ? context.method : '_OTHER'
  const attributes = {
    [names.httpMethod]: method,
    // Absent where no route serves it: a path may be anything.
    [names.httpRoute]: context.route === '' ? undefined : context.route,
    [names.httpStatus]: status,
  }
  const ms = performance.now() - context.begunAt
  telemetry.record(metrics.requestDuration, ms / 1000, attributes)
  const { traceparent } = context
  if (!isSampled(traceparent)) return
  telemetry.ended({
    name: context.route === '' ? method : `${method} ${context.route}`,
    kind: 'server',
    traceparent,
    parentId: context.parentSpanId,
    links: context.links,
    startedAt: context.startedAt,
    endedAt: context.startedAt + ms,
    error: status >= 500 ? (context.errorCode ?? String(status)) : undefined,
    attributes: {
      ...attributes,
      [names.requestId]: context.requestId,
      [names.orgId]: context.orgId,
      [names.jobId]: context.job?.jobId,
    },
  })
}
