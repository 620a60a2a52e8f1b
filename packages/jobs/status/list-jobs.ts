import type { JobList, ListedJob } from '#contracts/generated/http.ts'
import type { JobDocument } from '#packages/events/views/jobs.ts'
import { platformNames } from '#packages/platforms/registry.ts'
import { isoOf } from '#packages/ports/clock.ts'
import { sha256 } from '#packages/ports/ids.ts'
import type { PageQuestion, Stored, Views } from '#packages/ports/views.ts'
import { cursorOf, type Place, placeOf } from './page-cursor.ts'

export const listedKinds = ['transcript', 'extraction'] as const
export const listedStatuses = ['queued', 'completed', 'failed'] as const
export const listedPlatforms = [...platformNames, 'direct'] as const
export const listedSurfaces = ['api', 'mcp', 'dashboard', 'batch', 'watch'] as const

/** Which jobs of an organization to list. A field that is missing or undefined excludes nothing. */
export type ListQuestion = {
  kind?: (typeof listedKinds)[number] | undefined
  status?: (typeof listedStatuses)[number] | undefined
  platform?: (typeof listedPlatforms)[number] | undefined
  /** The API key that requested them. */
  keyId?: string | undefined
  surface?: (typeof listedSurfaces)[number] | undefined
  /** The batch that they are part of. */
  batchId?: string | undefined
  /** The registrable domain of their video's URL. */
  domain?: string | undefined
  /** The URL of their video, in canonical spelling. */
  url?: string | undefined
  /** Words in the title of their video or in the name of its author, in any order. */
  words?: readonly string[] | undefined
  idempotencyKey?: string | undefined
  /** Only jobs that were accepted after, and before, these instants, milliseconds since 1970. */
  createdAfter?: number | undefined
  createdBefore?: number | undefined
  /** The `nextCursor` of the previous page. */
  cursor?: string | undefined
  /** Jobs per page. */
  limit: number
}

/** Every job of an organization, in large pages. */
export const anyJob: ListQuestion = { limit: 100 }

/** The query of the view. It asks for one document more than the page holds, to see whether there is a next page. */
function pageOf(orgId: string, question: ListQuestion): PageQuestion {
  const { kind, status, platform, limit } = question
  const where = {
    orgId: [orgId],
    ...keyOf(question),
    kind: kind === undefined ? listedKinds : [kind],
    platform: platform === undefined ? listedPlatforms : [platform],
    listedAs: status === undefined ? listedStatuses : [status],
  }
  const after = startOf(question)
  return { where, by: 'requestedAt', ...(after && { after }), limit: limit + 1 }
}

/** No index combines two fields. The view gets the one that leaves the fewest jobs, and `isAsked` checks the rest. */
function keyOf({ idempotencyKey, keyId, surface, batchId, domain, url }: ListQuestion): PageQuestion['where'] {
  if (idempotencyKey !== undefined) return { idempotencyKeyHash: [sha256(idempotencyKey)] }
  if (url !== undefined) return { url: [url] }
  if (batchId !== undefined) return { surface: ['batch'] }
  if (domain !== undefined) return { domain: [domain] }
  if (keyId !== undefined) return { keyId: [keyId] }
  return surface === undefined ? {} : { surface: [surface] }
}

const isAsked = (job: ListedDocument, { keyId, surface, batchId, domain, words = [] }: ListQuestion): boolean =>
  Object.entries({ keyId, surface, batchId, domain }).every(
    ([name, value]) => value === undefined || job[name as 'keyId'] === value,
  ) && hasWords(job, words)

function hasWords({ title, author }: ListedDocument, words: readonly string[]): boolean {
  const text = searchable(`${title ?? ''} ${author ?? ''}`)
  return words.every((word) => text.includes(searchable(word)))
}

/** Case, accents and widths of letters do not count. */
const searchable = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** The place after which the page begins: that of the cursor, or the end of the requested time. */
function startOf({ cursor, createdBefore }: ListQuestion): Place | undefined {
  if (cursor !== undefined) return placeOf(cursor)
  return createdBefore === undefined ? undefined : { by: createdBefore, id: '' }
}

/** The document of a listed job. Documents of jobs that were never accepted lack these fields and are not listed. */
type ListedDocument = Stored<JobDocument> & Required<Omit<JobDocument, 'result' | 'revision'>>

function rowOf(document: ListedDocument): ListedJob {
  const { id, kind, url, mode, platform, domain, keyId, surface, requestedAt, listedAs } = document
  const { title, author, thumbnail, durationSeconds } = document
  const asked = { jobId: id, kind, status: listedAs, url, mode, platform, domain, keyId, surface }
  return { ...asked, title, author, thumbnail, durationSeconds, createdAt: isoOf(requestedAt), ...endOf(document) }
}

/** The fields about a job's end. They are empty until the job is listed as ended. */
function endOf({ listedAs, endedAt, language, error, charged }: ListedDocument) {
  const nothing = { endedAt: null, language: null, errorCode: null, errorMessage: null, creditsCharged: null }
  if (listedAs === 'queued') return nothing
  const ended = { ...nothing, endedAt: endedAt === null ? null : isoOf(endedAt), creditsCharged: charged }
  if (listedAs === 'completed') return { ...ended, language }
  return { ...ended, errorCode: error?.code ?? null, errorMessage: error?.message ?? null }
}

/**
 * One page of an organization's jobs, newest first: one indexed query of the view. It may have fewer jobs than its
 * limit if it filters by batch, words, or several of API key, surface, domain, idempotency key and URL.
 * @throws ServiceError invalid_request for a cursor that was never given
 */
export async function listJobs(views: Views, orgId: string, question: ListQuestion): Promise<JobList> {
  const { limit, createdAfter = Number.NEGATIVE_INFINITY } = question
  const found = await views.page<ListedDocument>('jobs', pageOf(orgId, question))
  const page = found.slice(0, limit).filter(({ requestedAt }) => requestedAt > createdAfter)
  // A page that the time range cut short is the last one.
  const last = found.length > limit && page.length === limit ? page.at(-1) : undefined
  const nextCursor = last === undefined ? null : cursorOf({ by: last.requestedAt, id: last.id })
  return { jobs: page.filter((job) => isAsked(job, question)).map(rowOf), nextCursor }
}

/** Pages that one search reads. */
const SEARCHED_PAGES = 20
const SEARCHED_PAGE = 100

/**
 * One page of the jobs that contain the given words. It reads the newest 2,000 from the cursor on, because no index
 * contains words. If it finds none and there is a `nextCursor`, older jobs may match.
 * @throws ServiceError as `listJobs`
 */
export async function searchJobs(views: Views, orgId: string, question: ListQuestion): Promise<JobList> {
  const found: ListedJob[] = []
  let cursor = question.cursor
  for (let pages = 0; pages < SEARCHED_PAGES; pages++) {
    const page = await listJobs(views, orgId, { ...question, cursor, limit: SEARCHED_PAGE })
    found.push(...page.jobs)
    cursor = page.nextCursor ?? undefined
    if (cursor === undefined || found.length > question.limit) break
  }
  const jobs = found.slice(0, question.limit)
  const last = jobs.at(-1)
  const isCut = found.length > jobs.length && last !== undefined
  return { jobs, nextCursor: isCut ? cursorOf({ by: Date.parse(last.createdAt), id: last.jobId }) : (cursor ?? null) }
}
