import { createHash } from 'node:crypto'
import type { Headers } from './answers.ts'

/** A file that is the same for all callers as long as the process runs. All answers share one buffer. */
export type StaticFile = {
  body: Buffer
  /** A strong validator: equal for equal bytes only. */
  etag: string
  headers: Headers
  /** The headers that a 304 repeats (RFC 9110, 15.4.5). */
  notModifiedHeaders: Headers
}

export function staticFile(body: Buffer, headers: Headers & { 'Cache-Control': string }): StaticFile {
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
  const notModifiedHeaders = { ETag: etag, 'Cache-Control': headers['Cache-Control'] }
  return { body, etag, headers: { ...headers, ETag: etag }, notModifiedHeaders }
}
