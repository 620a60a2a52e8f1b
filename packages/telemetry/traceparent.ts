import { hash, randomUUID } from 'node:crypto'

const VALID = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/

const isZero = (hex: string): boolean => /^0+$/.test(hex)

/** The parts of a received traceparent; undefined if it is not valid (W3C Trace Context). */
export function parseTraceparent(text: string): { traceId: string; spanId: string } | undefined {
  const [, traceId = '', spanId = ''] = VALID.exec(text) ?? []
  return traceId === '' || isZero(traceId) || isZero(spanId) ? undefined : { traceId, spanId }
}

export const toTraceparent = (traceId: string, spanId: string, isSampled: boolean): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`

/**
 * A traceparent of a fresh trace.
 * @param isRecorded false if the span itself is not recorded: then nothing may be below it
 */
export const newTraceparent = (isRecorded: boolean): string =>
  toTraceparent(traceIdFrom(randomUUID()), newSpanId(), isRecorded)

/** The trace that is named after a UUID. */
export const traceIdFrom = (uuid: string): string =>
  uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(14, 18) + uuid.slice(19, 23) + uuid.slice(24)

/** A random span id, from a UUID: Node draws UUIDs from a buffer, ten times as fast as bytes. */
export const newSpanId = (): string => spanIdFrom(randomUUID())

/** The part of a traceparent that names the trace. */
export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35)

/** The part of a traceparent that names the span. */
export const spanIdOf = (traceparent: string): string => traceparent.slice(36, 52)

/** Whether the trace is recorded. This service decided that where the trace began. */
export const isSampled = (traceparent: string): boolean => traceparent.endsWith('1')

/** The same trace in another span. */
export const inTraceOf = (traceparent: string, spanId: string): string =>
  `${traceparent.slice(0, 36)}${spanId}${traceparent.slice(52)}`

const SPAN_ID = /^[0-9a-f]{16}$/

/**
 * 16 hexadecimal digits of a UUID as the id of a span: all code that knows the UUID knows the span. An id that is not a
 * UUID is hashed.
 */
export function spanIdFrom(id: string): string {
  const digits = id.slice(19, 23) + id.slice(24)
  return SPAN_ID.test(digits) ? digits : hash('sha256', id).slice(0, 16)
}

/** The root span of a job, which follows from the job and its trace. */
export const jobSpanOf = (jobId: string, traceparent: string): string => inTraceOf(traceparent, spanIdFrom(jobId))
