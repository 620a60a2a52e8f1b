import type { AnyValue, Context, SeverityNumber as Severity } from '@opentelemetry/api'
import { NAME } from './names.ts'
import { api } from './otel-packages.ts'
import { spanIdFrom } from './traceparent.ts'

const { context, logs, SeverityNumber, TraceFlags, trace } = api

/** The levels of the log, as OpenTelemetry numbers them. */
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
  /** Of the request, where its id does not tell it. */
  spanId?: unknown
  jobId?: unknown
}

/**
 * Where a line belongs: the span under way, where it is of the line's trace; else the span of the request that it is
 * about, or the root span of the job. A line that names no trace has that of the span under way, if there is one.
 */
function contextOf({ traceId, requestId, spanId, jobId }: Line): Context {
  const active = context.active()
  if (typeof traceId !== 'string' || trace.getSpanContext(active)?.traceId === traceId) return active
  const about = requestId ?? jobId
  if (typeof about !== 'string') return trace.deleteSpan(active)
  const own = typeof spanId === 'string' ? spanId : spanIdFrom(about)
  return trace.setSpanContext(active, { traceId, spanId: own, traceFlags: TraceFlags.NONE })
}

/** Exports lines of the log as they were written: to be given each by `copyLines`. */
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
