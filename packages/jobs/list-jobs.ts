import type { JobList, ListedJob } from '#contracts/generated/http.ts'
import { invalidRequest } from '#packages/errors/service-error.ts'
import { sha256 } from '#packages/ports/ids.ts'
import type { PageQuestion, Stored, Views } from '#packages/ports/views.ts'
import type { JobDocument } from '#packages/views/jobs.ts'

export const listedKinds = ['transcript', 'extraction'] as const
export const listedStatuses = ['queued', 'completed', 'failed'] as const

/** Which jobs of an organization are listed; a field that is undefined leaves nothing out. */
export type ListQuestion = {
  kind: (typeof listedKinds)[number] | undefined
  status: (typeof listedStatuses)[number] | undefined
  idempotencyKey: string | undefined
  /** The `nextCursor` of the page before. */
  cursor: string | undefined
  /** Jobs of one page. */
  limit: number
}

type Place = NonNullable<PageQuestion['after']>

const cursorOf = ({ by, id }: Place): string => Buffer.from(`${by} ${id}`).toString('base64url')

/** @throws ServiceError invalid_request for what was never given as a `nextCursor` */
function placeOf(cursor: string): Place {
  const [, by, id] = /^(\d{1,15}) ([0-9a-f-]{36})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (by === undefined || id === undefined) throw invalidRequest({ path: 'cursor', message: 'is not one of ours' })
  return { by: Number(by), id }
}

/** What is asked of the view: one document more than is wanted, which tells whether there is a next page. */
function pageOf(orgId: string, { kind, status, idempotencyKey, cursor, limit }: ListQuestion): PageQuestion {
  const where = {
    orgId: [orgId],
    ...(idempotencyKey !== undefined && { idempotencyKeyHash: [sha256(idempotencyKey)] }),
    kind: kind === undefined ? listedKinds : [kind],
    listedAs: status === undefined ? listedStatuses : [status],
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

/**
 * One page of an organization's jobs, newest first; one indexed query of the view.
 * @throws ServiceError invalid_request for a cursor that was never given
 */
export async function listJobs(views: Views, orgId: string, question: ListQuestion): Promise<JobList> {
  const found = await views.page<ListedDocument>('jobs', pageOf(orgId, question))
  const page = found.slice(0, question.limit)
  const last = found.length > question.limit ? page.at(-1) : undefined
  const nextCursor = last === undefined ? null : cursorOf({ by: last.requestedAt, id: last.id })
  return { jobs: page.map(rowOf), nextCursor }
}
