import type { AnyValue, Context, SeverityNumber as Severity } from '@opentelemetry/api'
import { NAME } from './names.ts'
import { api } from './otel-packages.ts'
import { spanIdFrom } from './traceparent.ts'

const { context, logs, SeverityNumber, TraceFlags, trace } = api

/** The levels of the log, with OpenTelemetry's numbers. */
const severities: Readonly<Record<string, Severity>> = {
  trace: SeverityNumber.TRACE,
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
  fatal: SeverityNumber.FATAL,
}

type Line = {
  level: string
  time: string
  service: string
  msg?: string
  traceId?: unknown
  requestId?: unknown
  /** The request's span, if the request id does not determine it. */
  spanId?: unknown
  jobId?: unknown
}

/**
 * The span that a line belongs to. If the current span has the line's trace, it is that span. Otherwise it is the span
 * of the line's request, or the root span of its job. A line without a trace belongs to the current span, if there is
 * one.
 */
function contextOf({ traceId, requestId, spanId, jobId }: Line): Context {
  const active = context.active()
  if (typeof traceId !== 'string' || trace.getSpanContext(active)?.traceId === traceId) return active
  const about = requestId ?? jobId
  if (typeof about !== 'string') return trace.deleteSpan(active)
  const own = typeof spanId === 'string' ? spanId : spanIdFrom(about)
  return trace.setSpanContext(active, { traceId, spanId: own, traceFlags: TraceFlags.NONE })
}

/** Exports log lines as they were written. Pass it to `copyLines`. */
export function exportLines(): (line: string) => void {
  const logger = logs.getLogger(NAME)
  return (text) => {
    const line = JSON.parse(text) as Line
    const { level, time, service: _, msg, ...fields } = line
    logger.emit({
      timestamp: Date.parse(time),
      severityNumber: severities[level] ?? SeverityNumber.UNSPECIFIED,
      severityText: level,
      body: msg ?? '',
      attributes: fields as Record<string, AnyValue>,
      context: contextOf(line),
    })
  }
}
