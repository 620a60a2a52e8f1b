import type { IncomingMessage } from 'node:http'
import type { Request, Response } from 'express'
import type { KeyRing } from '#packages/keys/key-ring.ts'
import type { TurnTaker } from '../connections/turns.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import { contextOf } from '../requests/request-context.ts'
import type { Pages } from '../routes/pages.ts'

type Parts = { keys: KeyRing; rates: RateLimits; pages: Pages | undefined }

/**
 * Finds out whether a request carries a known key or session, and counts it against its address where it carries none.
 * @throws ServiceError rate_limited
 */
export const admit =
  ({ keys, rates, pages }: Parts) =>
  async (request: Request, response: Response): Promise<void> => {
    const context = contextOf(response)
    context.caller = context.keyHash === undefined ? undefined : await keys.findByHash(context.keyHash)
    context.visitor = await pages?.visitorOf(request.headers)
    if (context.caller !== undefined || context.visitor !== undefined) return
    await rates.stranger(pages?.signIn.includes(request.url.split('?', 1)[0] ?? '') ? 'sign_in' : 'strangers', response)
  }

const probe = /^\/(?:health|ready)(?:\?|$)/

type Presented = { address: string; keyHash: string | undefined }

/** With whom a request takes turns: what can be told of it before anything is looked up. */
export function turnTakerOf(
  { url = '' }: IncomingMessage,
  { address, keyHash }: Presented,
  keys: Pick<KeyRing, 'held'>,
): TurnTaker {
  if (probe.test(url)) return { rank: 'probes', name: address }
  const caller = keyHash === undefined ? undefined : keys.held(keyHash)
  return caller === undefined ? { rank: 'strangers', name: address } : { rank: 'known', name: caller.orgId }
}
