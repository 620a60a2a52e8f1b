import { CsvError, parse as parseCsv } from 'csv-parse/sync'
import type { RequestProblem } from '#contracts/generated/http.ts'
import { parseVideoUrl } from '#packages/platforms/urls/parse-video-url.ts'

/**
 * The form of a batch request. `ndjson`: an object with everything but the requests, then one request per line.
 * `csv`: a table with a column `url`. `lines`: one URL per line, as people paste them.
 */
export type BodyForm = 'json' | 'ndjson' | 'csv' | 'lines'

/** `mostRequests`: if the body has more, none of them is read. */
export type BodyQuestion = { bytes: Uint8Array; form: BodyForm; mostRequests: number }

/** The problem of one request. `line`: as in `ParsedBody`. */
export type LineProblem = RequestProblem & { line: number }

/** A requested video. `line`: of the body, from 1 on; in JSON the number of the request. */
export type BodyVideo = { url: string; line: number }

/**
 * A parsed body. `shared`: everything but the requests; undefined if its form has none. `given`: the number of
 * requests; null: it has no such field. `videos`: the valid ones, with URLs in canonical spelling.
 */
export type ParsedBody = { shared: unknown; given: number | null; videos: BodyVideo[]; problems: LineProblem[] }

/** `problem`: why the whole body could not be read. `isLarge`: the part beside the requests is too large. */
export type BodyAnswer = ParsedBody | { problem: RequestProblem; isLarge: boolean }

/** The largest part beside the requests, in characters of JSON. It is the limit of a request for one job. */
const MAX_SHARED = 64 * 1024

const MAX_URL_LENGTH = 2048

/** A request as given, before its check. */
type Given = { value: unknown; line: number }

const NOT_JSON = Symbol('not JSON')

class BodyError extends Error {
  readonly problem: RequestProblem

  constructor(path: string, message: string) {
    super(`${path} ${message}`)
    this.problem = { path, message }
  }
}

/** Reads the body of a batch request. It may take a second, so run it in a thread. */
export function parseBody({ bytes, form, mostRequests }: BodyQuestion): BodyAnswer {
  try {
    const text = decode(bytes)
    const { shared, given } = forms[form](text)
    if (JSON.stringify(shared ?? null).length > MAX_SHARED)
      return {
        problem: { path: 'body', message: `must have at most ${MAX_SHARED} bytes beside its requests` },
        isLarge: true,
      }
    if (given === null || given.length > mostRequests)
      return { shared, given: given?.length ?? null, videos: [], problems: [] }
    return { shared, given: given.length, ...looked(given) }
  } catch (error) {
    if (error instanceof BodyError) return { problem: error.problem, isLarge: false }
    throw error
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new BodyError('body', 'must be UTF-8')
  }
}

type Split = { shared: unknown; given: Given[] | null }

const forms: Record<BodyForm, (text: string) => Split> = {
  json(text) {
    const body = jsonOf(text, 'body')
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return { shared: body, given: null }
    const { requests, ...shared } = body as Record<string, unknown>
    if (requests === undefined) return { shared, given: null }
    if (!Array.isArray(requests)) throw new BodyError('requests', 'must be array')
    return { shared, given: requests.map((value, index) => ({ value, line: index + 1 })) }
  },
  ndjson(text) {
    const [first, ...more] = linesOf(text)
    if (first === undefined) throw new BodyError('body', 'must begin with a line that has all but the requests')
    const given = more.map(({ text, line }) => ({ value: jsonOr(text, NOT_JSON), line }))
    return { shared: jsonOf(first.text, `line ${first.line}`), given: given.length === 0 ? null : given }
  },
  csv(text) {
    const rows = rowsOf(text)
    const names = rows[0]?.record.map((name) => name.trim().toLowerCase()) ?? []
    const column = names.indexOf('url')
    if (column < 0) throw new BodyError('body', 'must be a table whose first line names a column url')
    const given = rows.slice(1).map(({ record, line }) => ({ value: record[column]?.trim(), line }))
    return { shared: undefined, given }
  },
  lines: (text) => ({ shared: undefined, given: linesOf(text).map(({ text, line }) => ({ value: text, line })) }),
}

function jsonOf(text: string, path: string): unknown {
  const value = jsonOr(text, NOT_JSON)
  if (value === NOT_JSON) throw new BodyError(path, 'must be JSON')
  return value
}

function jsonOr<T>(text: string, otherwise: T): unknown | T {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return otherwise
  }
}

/** Lines that are not empty. */
const linesOf = (text: string): { text: string; line: number }[] =>
  text
    .split(/\r\n|\n|\r/)
    .map((each, index) => ({ text: each.trim(), line: index + 1 }))
    .filter(({ text }) => text !== '')

type Row = { record: string[]; line: number }

function rowsOf(text: string): Row[] {
  try {
    const rows = parseCsv(text, {
      bom: true,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
    }) as unknown as { record: string[]; info: { lines: number } }[]
    // `lines` is the line at which the row ends. It suffices, because cells with line breaks are not URLs.
    return rows.map(({ record, info }) => ({ record, line: info.lines }))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new BodyError(`line ${error.lines}`, 'is not CSV: a quote stands where none may be, or is not closed')
  }
}

function looked(given: readonly Given[]): Pick<ParsedBody, 'videos' | 'problems'> {
  const videos: BodyVideo[] = []
  const problems: LineProblem[] = []
  for (const [index, { value, line }] of given.entries()) {
    const found = urlIn(value)
    const video = 'url' in found ? parseVideoUrl(found.url) : undefined
    if (video?.accepted) videos.push({ url: video.canonical, line })
    else if (video === undefined) problems.push({ path: `requests.${index}`, line, message: (found as Refused).reason })
    else problems.push({ path: `requests.${index}.url`, line, message: video.reason })
  }
  return { videos, problems }
}

type Refused = { reason: string }

/** The URL of a request, which may be the whole request. */
function urlIn(value: unknown): { url: string } | Refused {
  if (value === NOT_JSON) return { reason: 'must be JSON' }
  if (typeof value === 'string') return urlOf(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { reason: 'must be a URL, or an object with one' }
  const { url, ...more } = value as Record<string, unknown>
  const [unknown] = Object.keys(more)
  if (unknown !== undefined) return { reason: `has an unknown field ${unknown.slice(0, 100)}: there is url` }
  return typeof url === 'string' ? urlOf(url) : { reason: 'must have a url' }
}

const urlOf = (url: string): { url: string } | Refused =>
  url.length > MAX_URL_LENGTH ? { reason: `must have at most ${MAX_URL_LENGTH} characters` } : { url }
