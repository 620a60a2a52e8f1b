import type { IncomingHttpHeaders } from 'node:http'
import type { Request, Response } from 'express'
import type { KeyUse } from '#packages/accounts/keys/key-use.ts'
import { isWellFormed } from '#packages/accounts/keys/secret.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { contextOf } from '../requests/request-context.ts'
import { presentedKey } from './presented-key.ts'

/** How to find the key of a request, and the name of its place in messages. */
export type KeyPlace = { keyOf(headers: IncomingHttpHeaders): string | undefined; place: string }

const inHeader: KeyPlace = { keyOf: presentedKey, place: 'in the header x-api-key (not Authorization)' }

/** Admits a request that has a known key in the right place. @throws ServiceError unauthorized */
export const authenticate =
  ({ use }: { use: KeyUse }, { keyOf, place }: KeyPlace = inHeader) =>
  (request: Request, response: Response): void => {
    const context = contextOf(response)
    const { caller } = context
    const key = keyOf(request.headers)
    if (caller === undefined || key === undefined) throw new ServiceError('unauthorized', whyNot(key, place))
    context.orgId = caller.orgId
    use.note(caller.keyId)
  }

/** @param key '' if two headers have different ones */
function whyNot(key: string | undefined, place: string): string {
  if (key === undefined) return `No API key: send it ${place}.`
  if (key === '') return `No API key, or two that differ: send one ${place}.`
  return isWellFormed(key)
    ? 'This API key is not valid: it may be revoked or expired.'
    : 'This is not an API key: one begins with ma_ and has 41 characters. Was it copied whole?'
}
