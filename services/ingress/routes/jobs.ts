import type { Response } from 'express'
import type { DeletedContent, JobDetails } from '#contracts/generated/http.ts'
import { invalidRequest } from '#packages/foundation/errors/service-error.ts'
import { Query } from '#packages/foundation/validation/query.ts'
import { cancelJob } from '#packages/jobs/status/cancel-job.ts'
import { jobDetailsOf } from '#packages/jobs/status/job-details.ts'
import {
  type ListQuestion,
  listedKinds,
  listedPlatforms,
  listedStatuses,
  listedSurfaces,
  listJobs,
} from '#packages/jobs/status/list-jobs.ts'
import { noSuchJob } from '#packages/jobs/status/no-such-job.ts'
import { isoOf } from '#packages/ports/clock.ts'
import type { Operations } from '../authentication/permit.ts'
import type { IngressOptions } from '../options.ts'
import { contextOf, followJob, orgOf, pathParameter } from '../requests/request-context.ts'
import { whileOpen } from '../requests/while-open.ts'
import { type Answering, lightOperations, type RouteParts } from './route-parts.ts'

type Parts = Answering &
  Pick<RouteParts, 'store' | 'views' | 'clock' | 'ids' | 'attempts' | 'watch' | 'history' | 'forget' | 'closing'>

const limits = { min: 1, max: 100, fallback: 20 }
const MAX_KEY_LENGTH = 255
const MAX_KEY_ID_LENGTH = 100
const MAX_DOMAIN_LENGTH = 253
const MAX_CURSOR_LENGTH = 128

/**
 * How long the answer waits for the settlement of a cancelled job, milliseconds. Until then the job is not shown as
 * ended.
 */
const SETTLED_WITHIN_MS = 3000

/** The operations on jobs of any kind, by path below /v1. */
export function jobOperations(
  parts: Parts,
  options: Pick<IngressOptions, 'giveUpAfterMs'>,
): Record<string, Operations> {
  const { views, clock, forget } = parts
  const light = lightOperations(parts)
  return {
    '/jobs': {
      GET: light('read', 200, (request, response) => listJobs(views, orgOf(response), questionOf(request.url))),
    },
    '/jobs/{jobId}': {
      GET: light('read', 200, (request, response) => details(parts, response, pathParameter(request, 'jobId'))),
      DELETE: light('jobs', 200, (request, response) =>
        cancel(parts, response, pathParameter(request, 'jobId'), options),
      ),
    },
    '/jobs/{jobId}/content': {
      DELETE: light('jobs', 200, async (request, response) => {
        const jobId = pathParameter(request, 'jobId')
        await forget({ jobId, orgId: orgOf(response), cause: contextOf(response).requestId })
        return { jobId, deletedAt: isoOf(clock.now()) } satisfies DeletedContent
      }),
    },
  }
}

/** @throws ServiceError invalid_request */
function questionOf(requestUrl: string): ListQuestion {
  const query = new Query(requestUrl)
  const kind = query.oneOf('kind', listedKinds)
  const status = query.oneOf('status', listedStatuses)
  const idempotencyKey = query.text('idempotencyKey', MAX_KEY_LENGTH)
  if (idempotencyKey !== undefined && !/^[ -~]+$/.test(idempotencyKey))
    throw invalidRequest({ path: 'idempotencyKey', message: 'must be printable ASCII characters' })
  return {
    kind,
    status,
    idempotencyKey,
    platform: query.oneOf('platform', listedPlatforms),
    keyId: query.text('keyId', MAX_KEY_ID_LENGTH),
    surface: query.oneOf('surface', listedSurfaces),
    domain: query.text('domain', MAX_DOMAIN_LENGTH)?.toLowerCase(),
    createdAfter: query.instant('createdAfter'),
    createdBefore: query.instant('createdBefore'),
    cursor: query.text('cursor', MAX_CURSOR_LENGTH),
    limit: query.integer('limit', limits),
  }
}

/** Cancels a job. An ended job is shown unchanged. */
async function cancel(
  parts: Parts,
  response: Response,
  jobId: string,
  options: Pick<IngressOptions, 'giveUpAfterMs'>,
): Promise<JobDetails> {
  const orgId = orgOf(response)
  const context = contextOf(response)
  const cancelled = await cancelJob(parts, { jobId, orgId, requestId: context.requestId }, options)
  if (cancelled === undefined) throw noSuchJob()
  followJob(context, { jobId, traceparent: cancelled.traceparent })
  const question = { jobId, orgId, kind: cancelled.kind }
  await whileOpen(response, parts.closing, (signal) => parts.watch.wait(question, SETTLED_WITHIN_MS, signal))
  return details(parts, response, jobId)
}

async function details({ history, attempts, clock }: Parts, response: Response, jobId: string): Promise<JobDetails> {
  const shown = await history.read({ jobId, orgId: orgOf(response) })
  if (shown === undefined) throw noSuchJob()
  const found = jobDetailsOf(shown, { jobId, now: clock.now(), used: attempts.usedBy(jobId) })
  contextOf(response).job = { jobId, traceId: found.traceId }
  return found
}
