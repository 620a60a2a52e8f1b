import type { Response } from 'express'
import { Query } from '#packages/foundation/validation/query.ts'
import { watchChangesOf, watchRequestOf } from '#packages/jobs/watches/watch-request.ts'
import { webhookNamedIn } from '#packages/jobs/webhooks/named-webhook.ts'
import { isoOf } from '#packages/ports/clock.ts'
import type { Operations } from '../authentication/permit.ts'
import type { IngressOptions } from '../options.ts'
import { readJsonBody } from '../requests/read-json-body.ts'
import { callerOf, idIn, metadataOf, orgOf } from '../requests/request-context.ts'
import { type Answering, lightOperations, type RouteParts } from './route-parts.ts'

type Parts = Answering & Pick<RouteParts, 'watches' | 'webhooks' | 'details' | 'schemas' | 'clock'>

const limits = { min: 1, max: 100, fallback: 20 }
const afters = { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 }

/** The operations on watches, by path below /v1. */
export function watchOperations(
  parts: Parts,
  { maxBodyBytes, extracts, speech }: Pick<IngressOptions, 'maxBodyBytes' | 'extracts' | 'speech'>,
): Record<string, Operations> {
  const { watches, details, schemas, clock } = parts
  const light = lightOperations(parts)
  const askingOf = async (response: Response) => ({
    by: callerOf(response),
    plan: await details.planOf(orgOf(response)),
    metadata: metadataOf(response),
  })

  return {
    '/watches': {
      GET: light('read', 200, (_request, response) => watches.list(orgOf(response))),
      POST: light('jobs', 201, async (request, response) => {
        const body = await readJsonBody(request, maxBodyBytes)
        const application = await watchRequestOf(body, orgOf(response), {
          schemas,
          extracts,
          tellsSpeakers: speech.tellsSpeakers,
        })
        const asking = await askingOf(response)
        return watches.create(application, webhookNamedIn(body, parts, asking), asking)
      }),
    },
    '/watches/{id}': {
      GET: light('read', 200, (request, response) => watches.get(orgOf(response), idIn(request))),
      PATCH: light('jobs', 200, async (request, response) => {
        const asked = watchChangesOf(await readJsonBody(request, maxBodyBytes))
        return watches.change(idIn(request), asked, await askingOf(response))
      }),
      DELETE: light('jobs', 200, async (request, response) => {
        await watches.remove(idIn(request), metadataOf(response))
        return { watchId: idIn(request), deletedAt: isoOf(clock.now()) }
      }),
    },
    '/watches/{id}/found': {
      GET: light('read', 200, (request, response) => {
        const query = new Query(request.url)
        const question = { after: query.integer('after', afters), limit: query.integer('limit', limits) }
        return watches.found(orgOf(response), idIn(request), question)
      }),
    },
  }
}
