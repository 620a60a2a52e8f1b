import type { JobList, ListedJob } from '#contracts/generated/http.ts'
import { invalidRequest } from '#packages/errors/service-error.ts'
import { isoOf } from '#packages/ports/clock.ts'
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

/** @throws ServiceError invalid_request for a cursor that was never given as a `nextCursor` */
function placeOf(cursor: string): Place {
  const [, by, id] = /^(\d{1,15}) ([0-9a-f-]{36})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (by === undefined || id === undefined) throw invalidRequest({ path: 'cursor', message: 'is not one of ours' })
  return { by: Number(by), id }
}

/** The query of the view. It asks for one document more than the page holds, to see whether there is a next page. */
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

/** The document of a listed job. Documents of jobs that were never accepted lack these fields and are not listed. */
type ListedDocument = Stored<JobDocument> & Required<Pick<JobDocument, 'requestedAt' | 'url' | 'listedAs'>>

const rowOf = ({ id, kind, url, listedAs, requestedAt, endedAt }: ListedDocument): ListedJob => ({
  jobId: id,
  kind,
  status: listedAs,
  url,
  createdAt: isoOf(requestedAt),
  endedAt: listedAs === 'queued' || endedAt === null ? null : isoOf(endedAt),
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
