import type { IncomingHttpHeaders } from 'node:http'
import type { RequestHandler } from 'express'
import { ServiceError } from '#packages/errors/service-error.ts'
import type { KeyRing } from '#packages/keys/key-ring.ts'
import type { KeyUse } from '#packages/keys/key-use.ts'
import { addressGroupOf } from '../connections/address-group.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import { contextOf } from '../requests/request-context.ts'

/** Where the key of a request stands, and what a caller without one is told. */
export type KeyPlace = { keyOf(headers: IncomingHttpHeaders): string | undefined; wanted: string }

/**
 * The key of a request; undefined where there is none, '' where the two header names disagree. Node joins a header
 * that was sent twice with ", ", which no key contains.
 */
export function presentedKey(headers: IncomingHttpHeaders): string | undefined {
  const one = headers['x-api-key']
  const other = headers.x_api_key
  if (one !== undefined && other !== undefined && one !== other) return ''
  const key = one ?? other
  return Array.isArray(key) ? '' : key
}

const inHeader: KeyPlace = { keyOf: presentedKey, wanted: 'A valid API key is required in the header x-api-key.' }

/**
 * Lets only requests with an active key pass, and notes in its context whose it is. Wrong keys are counted by remote
 * address: from a limit on they are answered 429, which never touches a good key.
 */
export const authenticate =
  (
    { keys, use, rates }: { keys: KeyRing; use: KeyUse; rates: RateLimits },
    { keyOf, wanted }: KeyPlace = inHeader,
  ): RequestHandler =>
  async (request, response, next) => {
    const secret = keyOf(request.headers)
    if (secret === undefined) throw new ServiceError('unauthorized', wanted)
    const caller = await keys.find(secret)
    if (caller === undefined) {
      await rates.wrongKey(addressGroupOf(request.socket.remoteAddress), response)
      throw new ServiceError('unauthorized', wanted)
    }
    contextOf(response).caller = caller
    use.note(caller.keyId)
    next()
  }
