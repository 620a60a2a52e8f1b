import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import {
  type ListQuestion,
  listedKinds,
  listedPlatforms,
  listedStatuses,
  listedSurfaces,
} from '#packages/jobs/status/list-jobs.ts'
import { videoOf } from '#packages/platforms/urls/video-of.ts'
import { type Problems, problemsOf } from '../../look/parts.tsx'

const JOBS_PER_PAGE = 20
const DAY_MS = 24 * 60 * 60 * 1000
const MAX_TEXT_LENGTH = 2048

/** The fields of the form above the list, as typed. */
export const filterFields = [
  'q',
  'status',
  'kind',
  'platform',
  'key',
  'surface',
  'batch',
  'domain',
  'from',
  'to',
] as const

export type Filters = Readonly<Record<(typeof filterFields)[number], string>>

export type Asked = { filters: Filters; question: ListQuestion; problems: Problems | undefined }

const oneOf = <T extends string>(text: string, known: readonly T[]): T | undefined => known.find((one) => one === text)

/** The beginning of a day (UTC), milliseconds since 1970; undefined if the text is not a day. */
function dayOf(text: string): number | undefined {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

/** The query in the list's address. An unknown choice filters nothing, like a missing one. */
export function askedOf(query: URLSearchParams): Asked {
  const typed = (name: string): string => (query.get(name) ?? '').trim().slice(0, MAX_TEXT_LENGTH)
  const filters = Object.fromEntries(filterFields.map((name) => [name, typed(name)])) as Filters
  const { problems, ...searched } = searchedFor(filters.q)
  const [from, to] = [dayOf(filters.from), dayOf(filters.to)]
  const question = {
    ...searched,
    kind: oneOf(filters.kind, listedKinds),
    status: oneOf(filters.status, listedStatuses),
    platform: oneOf(filters.platform, listedPlatforms),
    keyId: filters.key || undefined,
    surface: oneOf(filters.surface, listedSurfaces),
    batchId: filters.batch || undefined,
    domain: filters.domain.toLowerCase() || undefined,
    idempotencyKey: undefined,
    createdAfter: from === undefined ? undefined : from - 1,
    createdBefore: to === undefined ? undefined : to + DAY_MS,
    cursor: typed('cursor') || undefined,
    limit: JOBS_PER_PAGE,
  }
  return { filters, question, problems }
}

/** A URL has a scheme, or a host with a path. */
const isUrl = (typed: string): boolean => /^(https?:\/\/|[^\s/]+\.[^\s/]+\/)\S*$/i.test(typed)

/** The typed search: words, or a URL in its canonical spelling, which is how jobs store it. */
function searchedFor(typed: string): { url?: string; words?: string[]; problems?: Problems } {
  if (typed === '') return {}
  if (!isUrl(typed)) return { words: typed.split(/\s+/) }
  try {
    return { url: videoOf(/^https?:/i.test(typed) ? typed : `https://${typed}`).canonical }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { problems: { '': Object.values(problemsOf(error)).map(theUrl).join(' ') } }
  }
}

/** A sentence that explains what is wrong with the URL in the search. */
const theUrl = (problem: string): string => `The URL ${problem}.`

/** The address of the list with these filters, from a cursor on. */
export function addressOf(path: string, filters: Filters, cursor?: string): string {
  const fields = Object.entries(filters).filter(([, value]) => value !== '')
  const query = new URLSearchParams(cursor === undefined ? fields : [...fields, ['cursor', cursor]])
  return query.size === 0 ? path : `${path}?${query}`
}
