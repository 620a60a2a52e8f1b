import type { IncomingHttpHeaders } from 'node:http'
import { isWellFormed, secretHash } from '#packages/accounts/keys/secret.ts'

/**
 * The key of a request; undefined if there is none, '' if the two headers differ. Node joins a repeated header with ",
 * ", which no key contains.
 */
export function presentedKey(headers: IncomingHttpHeaders): string | undefined {
  const one = headers['x-api-key']
  const other = headers.x_api_key
  if (one !== undefined && other !== undefined && one !== other) return ''
  const key = one ?? other
  return Array.isArray(key) ? '' : key
}

/** Agent hosts send their key in either header. `x-api-key` comes first, as everywhere. */
export const keyOrBearer = (headers: IncomingHttpHeaders): string | undefined =>
  presentedKey(headers) ?? /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]

/** The hash that looks a key up; undefined if a request has nothing that could be a key. */
export function keyHashOf(headers: IncomingHttpHeaders): string | undefined {
  const secret = keyOrBearer(headers)
  return secret !== undefined && isWellFormed(secret) ? secretHash(secret) : undefined
}
