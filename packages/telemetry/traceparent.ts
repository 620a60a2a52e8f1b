import { randomBytes } from 'node:crypto'

const VALID = /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/

/**
 * A W3C traceparent with a fresh span. It continues the trace of `incoming` where that is valid, and otherwise starts
 * one.
 */
export function newTraceparent(incoming?: string): string {
  const [, traceId] = VALID.exec(incoming ?? '') ?? []
  const trace = traceId === undefined || /^0+$/.test(traceId) ? randomBytes(16).toString('hex') : traceId
  return `00-${trace}-${randomBytes(8).toString('hex')}-01`
}

/** The part of a traceparent that names the trace. */
export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35)
