import type { Response } from 'express'
import type { OrganizationDetails } from '#packages/accounts/organizations/organization-details.ts'
import type { SchemaChecks } from '#packages/content/extraction/schema/schema-checks.ts'
import { Query } from '#packages/foundation/validation/query.ts'
import { watchChangesOf, watchRequestOf } from '#packages/jobs/watches/watch-request.ts'
import type { Watches } from '#packages/jobs/watches/watches.ts'
import { webhookNamedIn } from '#packages/jobs/webhooks/named-webhook.ts'
import type { Webhooks } from '#packages/jobs/webhooks/webhooks.ts'
import { type Clock, isoOf } from '#packages/ports/clock.ts'
import type { Answers, Work } from '../answers/answers.ts'
import type { Operation, Operations } from '../authentication/permit.ts'
import type { Limit } from '../limits/rate-limits.ts'
import type { IngressOptions } from '../options.ts'
import { readJsonBody } from '../requests/read-json-body.ts'
import { callerOf, idIn, metadataOf, orgOf } from '../requests/request-context.ts'

type Parts = {
  watches: Watches
  webhooks: Webhooks
  details: Pick<OrganizationDetails, 'planOf'>
  schemas: SchemaChecks
  answers: Answers
  clock: Clock
  rates: { light: Limit }
}

const limits = { min: 1, max: 100, fallback: 20 }
const afters = { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 }

/** The operations on watches, by path below /v1. */
export function watchOperations(
  parts: Parts,
  { maxBodyBytes, extracts, speech }: Pick<IngressOptions, 'maxBodyBytes' | 'extracts' | 'speech'>,
): Record<string, Operations> {
  const { watches, details, schemas, answers, clock, rates } = parts
  const reads = (work: Work): Operation => ({ scope: 'read', limit: rates.light, answer: answers.with(200, work) })
  const changes = (status: number, work: Work): Operation => ({
    scope: 'jobs',
    limit: rates.light,
    answer: answers.with(status, work),
  })
  const askingOf = async (response: Response) => ({
    by: callerOf(response),
    plan: await details.planOf(orgOf(response)),
    metadata: metadataOf(response),
  })

  return {
    '/watches': {
      GET: reads((_request, response) => watches.list(orgOf(response))),
      POST: changes(201, async (request, response) => {
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
      GET: reads((request, response) => watches.get(orgOf(response), idIn(request))),
      PATCH: changes(200, async (request, response) => {
        const asked = watchChangesOf(await readJsonBody(request, maxBodyBytes))
        return watches.change(idIn(request), asked, await askingOf(response))
      }),
      DELETE: changes(200, async (request, response) => {
        await watches.remove(idIn(request), metadataOf(response))
        return { watchId: idIn(request), deletedAt: isoOf(clock.now()) }
      }),
    },
    '/watches/{id}/found': {
      GET: reads((request, response) => {
        const query = new Query(request.url)
        const question = { after: query.integer('after', afters), limit: query.integer('limit', limits) }
        return watches.found(orgOf(response), idIn(request), question)
      }),
    },
  }
}
