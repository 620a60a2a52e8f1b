import { keyRequestOf } from '#packages/accounts/keys/key-request.ts'
import type { Operations } from '../authentication/permit.ts'
import type { IngressOptions } from '../options.ts'
import { readJsonBody } from '../requests/read-json-body.ts'
import { callerOf, idIn, metadataOf, orgOf } from '../requests/request-context.ts'
import { type Answering, lightOperations, type RouteParts } from './route-parts.ts'

/** The operations on the keys of an organization, by path below /v1. */
export function keyOperations(
  { ownKeys, clock, ...answering }: Answering & Pick<RouteParts, 'ownKeys' | 'clock'>,
  { maxBodyBytes }: Pick<IngressOptions, 'maxBodyBytes'>,
): Record<string, Operations> {
  const light = lightOperations(answering)
  return {
    '/keys': {
      GET: light('keys', 200, (_request, response) => ownKeys.list(orgOf(response))),
      POST: light('keys', 201, async (request, response) => {
        const asked = keyRequestOf(await readJsonBody(request, maxBodyBytes), clock.now())
        return ownKeys.create(asked, callerOf(response), metadataOf(response))
      }),
    },
    '/keys/{id}': {
      // From the moment this answers, no request with that key is accepted here.
      DELETE: light('keys', 200, (request, response) =>
        ownKeys.revoke(idIn(request), callerOf(response), metadataOf(response)),
      ),
    },
  }
}
