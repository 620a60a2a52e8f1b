import { keyRequestOf } from '#packages/accounts/keys/key-request.ts'
import type { Keys } from '#packages/accounts/keys/keys.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Answers, Work } from '../answers/answers.ts'
import type { Operation, Operations } from '../authentication/permit.ts'
import type { Limit } from '../limits/rate-limits.ts'
import type { IngressOptions } from '../options.ts'
import { readJsonBody } from '../requests/read-json-body.ts'
import { callerOf, idIn, metadataOf, orgOf } from '../requests/request-context.ts'

type Parts = { ownKeys: Keys; clock: Clock; answers: Answers; rates: { light: Limit } }

/** The operations on the keys of an organization, by path below /v1. */
export function keyOperations(
  { ownKeys, clock, answers, rates }: Parts,
  { maxBodyBytes }: Pick<IngressOptions, 'maxBodyBytes'>,
): Record<string, Operations> {
  const keeps = (status: number, work: Work): Operation => ({
    scope: 'keys',
    limit: rates.light,
    answer: answers.with(status, work),
  })
  return {
    '/keys': {
      GET: keeps(200, (_request, response) => ownKeys.list(orgOf(response))),
      POST: keeps(201, async (request, response) => {
        const asked = keyRequestOf(await readJsonBody(request, maxBodyBytes), clock.now())
        return ownKeys.create(asked, callerOf(response), metadataOf(response))
      }),
    },
    '/keys/{id}': {
      // From the moment this answers, no request with that key is accepted here.
      DELETE: keeps(200, (request, response) =>
        ownKeys.revoke(idIn(request), callerOf(response), metadataOf(response)),
      ),
    },
  }
}
