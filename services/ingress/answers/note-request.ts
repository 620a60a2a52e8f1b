import { isJobId as isId } from '#packages/jobs/status/job-id.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { isSampled } from '#packages/telemetry/traceparent.ts'
import type { RequestContext } from '../requests/request-context.ts'

/** Methods with their own name in spans. An anonymous caller may send any other HTTP method. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'])

/** Replaces a path of unknown content, as the semantic conventions require. */
const REDACTED = 'REDACTED'

/** The path of a request without possible secrets: the route's path, with only those of its ids that are UUIDs. */
function pathOf({ route, url }: RequestContext): string {
  if (route === '') return REDACTED
  const given = url.split('?', 1)[0]?.split('/') ?? []
  const parts = route.split('/').map((part, at) => (/^[{:]/.test(part) && isId(given[at] ?? '') ? given[at] : part))
  return parts.join('/')
}

/** The span of an answered request, and the duration of its answer, without the wait that the caller asked for. */
export function noteRequest(telemetry: Telemetry, context: RequestContext, status: number): void {
  if (!telemetry.isExported) return
  const method = methods.has(context.method) ? context.method : '_OTHER'
  const attributes = {
    [names.httpMethod]: method,
    // Absent if no route serves it, because such a path may hold anything.
    [names.httpRoute]: context.route === '' ? undefined : context.route,
    [names.httpStatus]: status,
    [names.urlScheme]: context.scheme,
  }
  const ms = performance.now() - context.begunAt
  const answeredMs = (context.lastsSince ?? performance.now()) - context.begunAt - context.waitedMs
  telemetry.record(metrics.requestDuration, Math.max(0, answeredMs) / 1000, attributes)
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
      [names.urlPath]: pathOf(context),
      [names.requestId]: context.shownId,
      [names.orgId]: context.orgId,
      [names.jobId]: context.job?.jobId,
    },
  })
}
