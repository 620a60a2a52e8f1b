import type { Request, RequestHandler, Response } from 'express'
import { assertScope } from '#packages/keys/assert-scope.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { Query } from '#packages/validation/query.ts'
import { replayStartOf, webhookChangesOf, webhookRequestOf } from '#packages/webhooks/webhook-request.ts'
import type { Webhooks } from '#packages/webhooks/webhooks.ts'
import type { Answers } from '../answers/answers.ts'
import type { Operations } from '../authentication/permit.ts'
import type { Limit } from '../limits/rate-limits.ts'
import type { IngressOptions } from '../options.ts'
import { readJsonBody } from '../requests/read-json-body.ts'
import { callerOf, metadataOf, pathParameter } from '../requests/request-context.ts'

type Parts = { webhooks: Webhooks; answers: Answers; clock: Clock; rates: { light: Limit; heavy: Limit } }
type Options = Pick<IngressOptions, 'maxBodyBytes' | 'webhooksAllowHttp'>

const limits = { min: 1, max: 100, fallback: 20 }
const MAX_CURSOR_LENGTH = 128

/** What answers a request, and with which status. */
type Work = (request: Request, response: Response) => Promise<unknown>

/** The operations below /v1/webhooks, by path below /v1. */
export function webhookOperations(parts: Parts, options: Options): Record<string, Operations> {
  const { webhooks, answers, clock, rates } = parts
  const scope = 'webhooks'
  const answer =
    (status: number, work: Work): RequestHandler =>
    async (request, response) =>
      answers.json(response, status, await work(request, response))
  const light = (status: number, work: Work) => ({ scope, limit: rates.light, answer: answer(status, work) }) as const
  const sends = (work: Work) => ({ scope, limit: rates.heavy, answer: answer(202, work) }) as const
  const bodyOf = (request: Request): Promise<unknown> => readJsonBody(request, options.maxBodyBytes)
  const rules = { isHttpAllowed: options.webhooksAllowHttp }

  return {
    '/webhooks': {
      GET: light(200, (_request, response) => webhooks.list(callerOf(response).orgId)),
      POST: light(201, async (request, response) => {
        const asked = webhookRequestOf(await bodyOf(request), rules)
        assertMayRead(response, asked)
        return webhooks.create(asked, callerOf(response), metadataOf(response))
      }),
    },
    '/webhooks/secret': {
      POST: light(201, (_request, response) => webhooks.makeDefaultSecret(metadataOf(response))),
    },
    '/webhooks/{id}': {
      GET: light(200, (request, response) => webhooks.get(ownedIn(request, response))),
      PATCH: light(200, async (request, response) => {
        const changes = webhookChangesOf(await bodyOf(request), rules)
        assertMayRead(response, changes)
        return webhooks.change(ownedIn(request, response), changes, metadataOf(response))
      }),
      DELETE: light(200, (request, response) => webhooks.remove(ownedIn(request, response), metadataOf(response))),
    },
    '/webhooks/{id}/rotate': {
      POST: light(201, (request, response) => webhooks.rotate(ownedIn(request, response), metadataOf(response))),
    },
    '/webhooks/{id}/ping': {
      POST: sends((request, response) => webhooks.ping(ownedIn(request, response), metadataOf(response))),
    },
    '/webhooks/{id}/replay': {
      POST: sends(async (request, response) => {
        const from = replayStartOf(await bodyOf(request), clock.now())
        return webhooks.replay(ownedIn(request, response), from, metadataOf(response))
      }),
    },
    '/webhooks/{id}/deliveries': {
      GET: light(200, (request, response) => {
        const query = new Query(request.url)
        const page = { cursor: query.text('cursor', MAX_CURSOR_LENGTH), limit: query.integer('limit', limits) }
        return webhooks.deliveries(ownedIn(request, response), page)
      }),
    },
    '/webhooks/{id}/deliveries/{deliveryId}/redeliver': {
      POST: sends((request, response) => {
        const deliveryId = pathParameter(request, 'deliveryId')
        return webhooks.redeliver(ownedIn(request, response), deliveryId, metadataOf(response))
      }),
    },
  }
}

/** The webhook of the caller's organization that the path names. */
const ownedIn = (request: Request, response: Response) => ({
  orgId: callerOf(response).orgId,
  webhookId: pathParameter(request, 'id'),
})

/** A webhook brings results only where the key that asks for it may read them. @throws ServiceError forbidden */
function assertMayRead(response: Response, { results }: { results?: boolean | undefined }): void {
  if (results === true) assertScope(callerOf(response).grant, 'read')
}
