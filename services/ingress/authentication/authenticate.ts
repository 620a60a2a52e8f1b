import type { IncomingHttpHeaders } from 'node:http'
import type { Request, Response } from 'express'
import { ServiceError } from '#packages/errors/service-error.ts'
import type { KeyRing } from '#packages/keys/key-ring.ts'
import type { KeyUse } from '#packages/keys/key-use.ts'
import type { AddressOf } from '../connections/address-group.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import { contextOf } from '../requests/request-context.ts'

/** How the key of a request is found, and the message for a caller without a valid key. */
export type KeyPlace = { keyOf(headers: IncomingHttpHeaders): string | undefined; wanted: string }

/**
 * The key of a request; undefined where there is none, '' where the two headers differ. Node joins a header that was
 * sent twice with ", ", which no key contains.
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
 * Finds the owner of a request's key, and stores it in the request context. Wrong keys are counted by remote address:
 * beyond a limit they are answered 429. A good key is never affected. @throws ServiceError unauthorized, rate_limited
 */
export const authenticate =
  (
    { keys, use, rates, addressOf }: { keys: KeyRing; use: KeyUse; rates: RateLimits; addressOf: AddressOf },
    { keyOf, wanted }: KeyPlace = inHeader,
  ) =>
  async (request: Request, response: Response): Promise<void> => {
    const secret = keyOf(request.headers)
    if (secret === undefined) throw new ServiceError('unauthorized', wanted)
    const caller = await keys.find(secret)
    if (caller === undefined) {
      await rates.wrongKey(addressOf(request), response)
      throw new ServiceError('unauthorized', wanted)
    }
    const context = contextOf(response)
    context.caller = caller
    context.orgId = caller.orgId
    use.note(caller.keyId)
  }
