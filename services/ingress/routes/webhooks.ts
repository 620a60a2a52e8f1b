import type { Request } from 'express'
import { plans } from '#packages/domain/credits/plans.ts'
import { Query } from '#packages/foundation/validation/query.ts'
import { deliveryStatuses } from '#packages/jobs/webhooks/deliveries.ts'
import { replayStartOf, webhookChangesOf, webhookRequestOf } from '#packages/jobs/webhooks/webhook-request.ts'
import { isoOf } from '#packages/ports/clock.ts'
import type { Work } from '../answers/answers.ts'
import type { Operation, Operations } from '../authentication/permit.ts'
import type { IngressOptions } from '../options.ts'
import { readJsonBody } from '../requests/read-json-body.ts'
import { callerOf, idIn, metadataOf, orgOf, pathParameter } from '../requests/request-context.ts'
import { type Answering, lightOperations, type RouteParts } from './route-parts.ts'

type Parts = Answering & Pick<RouteParts, 'webhooks' | 'deliveries' | 'details' | 'clock'>

const limits = { min: 1, max: 100, fallback: 20 }
const MAX_CURSOR_LENGTH = 128

/** The operations on webhooks, by path below /v1. */
export function webhookOperations(
  parts: Parts,
  { maxBodyBytes }: Pick<IngressOptions, 'maxBodyBytes'>,
): Record<string, Operations> {
  const { webhooks, deliveries, details, answers, clock, rates } = parts
  const scope = 'webhooks'
  const operation = lightOperations(parts)
  const light = (status: number, work: Work): Operation => operation(scope, status, work)
  /** Requests that cause messages count as heavy. */
  const sends = (work: Work): Operation => ({ scope, limit: rates.heavy, answer: answers.with(202, work) })
  const bodyOf = (request: Request): Promise<unknown> => readJsonBody(request, maxBodyBytes)

  return {
    '/webhooks': {
      GET: light(200, (_request, response) => webhooks.list(orgOf(response))),
      POST: light(201, async (request, response) => {
        const asked = webhookRequestOf(await bodyOf(request))
        const limit = plans[await details.planOf(orgOf(response))].webhooks
        return webhooks.create(asked, { by: callerOf(response), limit, metadata: metadataOf(response) })
      }),
    },
    '/webhooks/secret': {
      POST: light(201, async (_request, response) => ({ secret: await webhooks.rotateDefaultSecret(orgOf(response)) })),
    },
    '/webhooks/{id}': {
      GET: light(200, (request, response) => webhooks.get(orgOf(response), idIn(request))),
      PATCH: light(200, async (request, response) => {
        const changes = webhookChangesOf(await bodyOf(request))
        return webhooks.change(idIn(request), changes, { by: callerOf(response), metadata: metadataOf(response) })
      }),
      DELETE: light(200, async (request, response) => {
        await webhooks.remove(idIn(request), metadataOf(response))
        return { id: idIn(request), deletedAt: isoOf(clock.now()) }
      }),
    },
    '/webhooks/{id}/rotate': {
      POST: light(201, async (request, response) => ({
        secret: await webhooks.rotate(orgOf(response), idIn(request)),
      })),
    },
    '/webhooks/{id}/ping': {
      POST: sends(async (request, response) => ({
        deliveryId: await deliveries.ping(idIn(request), metadataOf(response)),
      })),
    },
    '/webhooks/{id}/replay': {
      POST: sends(async (request, response) => {
        const from = replayStartOf(await bodyOf(request), clock.now())
        await webhooks.replay(idIn(request), from, metadataOf(response))
        return { from: isoOf(from) }
      }),
    },
    '/webhooks/{id}/deliveries': {
      GET: light(200, (request, response) => {
        const query = new Query(request.url)
        const cursor = query.text('cursor', MAX_CURSOR_LENGTH)
        const question = {
          status: query.oneOf('status', deliveryStatuses),
          cursor,
          limit: query.integer('limit', limits),
        }
        return deliveries.list(orgOf(response), idIn(request), question)
      }),
    },
    '/webhooks/{id}/deliveries/{deliveryId}/redeliver': {
      POST: sends(async (request, response) => {
        const deliveryId = pathParameter(request, 'deliveryId')
        await deliveries.redeliver(idIn(request), deliveryId, metadataOf(response))
        return { deliveryId }
      }),
    },
  }
}
