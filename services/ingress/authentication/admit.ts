import type { IncomingMessage } from 'node:http'
import type { Request, Response } from 'express'
import type { KeyRing } from '#packages/accounts/keys/key-ring.ts'
import type { Client } from '../connections/request-scheduler.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import { contextOf } from '../requests/request-context.ts'
import type { Pages } from '../routes/pages.ts'

type Parts = { keys: KeyRing; rates: RateLimits; pages: Pages | undefined }

/**
 * Looks for a known key or session in a request. A request without one counts against its address.
 * @throws ServiceError rate_limited
 */
export const admit =
  ({ keys, rates, pages }: Parts) =>
  async (request: Request, response: Response): Promise<void> => {
    const context = contextOf(response)
    context.caller = context.keyHash === undefined ? undefined : await keys.findByHash(context.keyHash)
    context.visitor = await pages?.visitorOf(request.headers)
    if (context.caller !== undefined || context.visitor !== undefined) return
    await rates.anonymous(
      pages?.signIn.includes(request.url.split('?', 1)[0] ?? '') ? 'sign_in' : 'anonymous',
      response,
    )
  }

const probe = /^\/(?:health|ready)(?:\?|$)/

type Presented = { address: string; keyHash: string | undefined }

/**
 * The client that a request takes turns as. Nothing is read for this, so only recently used keys and sessions are
 * known.
 */
export function clientOf(
  { url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>,
  { address, keyHash }: Presented,
  { keys, pages }: { keys: Pick<KeyRing, 'held'>; pages: Pick<Pages, 'heldVisitor'> | undefined },
): Client {
  if (probe.test(url)) return { rank: 'probes', name: address }
  const known = (keyHash !== undefined && keys.held(keyHash)?.orgId) || pages?.heldVisitor(headers)
  return known === undefined ? { rank: 'anonymous', name: address } : { rank: 'known', name: known }
}
