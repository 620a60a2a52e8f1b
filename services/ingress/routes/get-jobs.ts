import type { RequestHandler } from 'express'
import { invalidRequest } from '#packages/foundation/errors/service-error.ts'
import { Query } from '#packages/foundation/validation/query.ts'
import {
  type ListQuestion,
  listedKinds,
  listedPlatforms,
  listedStatuses,
  listedSurfaces,
  listJobs,
} from '#packages/jobs/status/list-jobs.ts'
import type { Views } from '#packages/ports/views.ts'
import type { Answers } from '../answers/answers.ts'
import { callerOf } from '../requests/request-context.ts'

const limits = { min: 1, max: 100, fallback: 20 }
const MAX_KEY_LENGTH = 255
const MAX_KEY_ID_LENGTH = 100
const MAX_DOMAIN_LENGTH = 253
const MAX_CURSOR_LENGTH = 128

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

/** GET /v1/jobs */
export const getJobs =
  ({ views, answers }: { views: Views; answers: Answers }): RequestHandler =>
  async (request, response) =>
    answers.json(response, 200, await listJobs(views, callerOf(response).orgId, questionOf(request.url)))
