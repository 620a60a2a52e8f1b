import type { RequestHandler } from 'express'
import type { JobList, ListedJob } from '#contracts/generated/http.ts'
import { invalidRequest } from '#packages/errors/service-error.ts'
import { sha256 } from '#packages/ports/ids.ts'
import type { PageQuestion, Stored, Views } from '#packages/ports/views.ts'
import type { JobDocument } from '#packages/views/jobs.ts'
import type { Answers } from '../answers/answer.ts'
import { Query } from '../requests/query.ts'
import { callerOf } from '../requests/visit.ts'

const limits = { min: 1, max: 100, fallback: 20 }
const MAX_KEY_LENGTH = 255
const MAX_CURSOR_LENGTH = 128
const kinds = ['transcript', 'extraction'] as const
const states = ['queued', 'completed', 'failed'] as const

type Place = NonNullable<PageQuestion['after']>

const cursorOf = ({ by, id }: Place): string => Buffer.from(`${by} ${id}`).toString('base64url')

/** @throws ServiceError invalid_request for what was never given as a `nextCursor` */
function placeOf(cursor: string): Place {
  const [, by, id] = /^(\d{1,15}) ([0-9a-f-]{36})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (by === undefined || id === undefined) throw invalidRequest({ path: 'cursor', message: 'is not one of ours' })
  return { by: Number(by), id }
}

/** What a request asks of the view: one document more than it wants, which tells whether there is a next page. */
function questionOf(orgId: string, requestUrl: string): PageQuestion {
  const query = new Query(requestUrl)
  const kind = query.oneOf('kind', kinds)
  const status = query.oneOf('status', states)
  const key = query.text('idempotencyKey', MAX_KEY_LENGTH)
  if (key !== undefined && !/^[ -~]+$/.test(key))
    throw invalidRequest({ path: 'idempotencyKey', message: 'must be printable ASCII characters' })
  const cursor = query.text('cursor', MAX_CURSOR_LENGTH)
  const limit = query.integer('limit', limits)
  const where = {
    orgId: [orgId],
    ...(key !== undefined && { idempotencyKeyHash: [sha256(key)] }),
    kind: kind === undefined ? kinds : [kind],
    listedAs: status === undefined ? states : [status],
  }
  const after = cursor === undefined ? {} : { after: placeOf(cursor) }
  return { where, by: 'requestedAt', ...after, limit: limit + 1 }
}

const iso = (instant: number): string => new Date(instant).toISOString()

/** Only what is listed has these fields, which documents of jobs that were never accepted lack. */
type ListedDocument = Stored<JobDocument> & Required<Pick<JobDocument, 'requestedAt' | 'url' | 'listedAs'>>

const rowOf = ({ id, kind, url, listedAs, requestedAt, endedAt }: ListedDocument): ListedJob => ({
  jobId: id,
  kind,
  status: listedAs,
  url,
  createdAt: iso(requestedAt),
  endedAt: listedAs === 'queued' || endedAt === null ? null : iso(endedAt),
})

/** GET /v1/jobs: one page of the caller's jobs, newest first; one indexed query of the view. */
export const listJobs =
  ({ views, answers }: { views: Views; answers: Answers }): RequestHandler =>
  async (request, response) => {
    const question = questionOf(callerOf(response).orgId, request.url)
    const found = await views.page<ListedDocument>('jobs', question)
    const page = found.slice(0, question.limit - 1)
    const last = found.length < question.limit ? undefined : page.at(-1)
    const nextCursor = last === undefined ? null : cursorOf({ by: last.requestedAt, id: last.id })
    answers.json(response, 200, { jobs: page.map(rowOf), nextCursor } satisfies JobList)
  }
