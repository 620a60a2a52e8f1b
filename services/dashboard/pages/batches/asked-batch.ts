import { mostItemsOf } from '#packages/domain/credits/plans.ts'
import { invalidRequest, type ServiceError } from '#packages/foundation/errors/service-error.ts'
import { type AskedBatch, batchRequestOf } from '#packages/jobs/batches/batch-request.ts'
import type { BodyForm, LineProblem, ParsedBody } from '#packages/jobs/batches/body/parse-body.ts'
import { sha256 } from '#packages/ports/ids.ts'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import type { OrgPageContext } from '../../route.ts'
import { sourceIn } from '../source-in.ts'
import { callOf } from '../try/call.ts'
import { manyVideos } from '../try/operations.ts'

export type AskingParts = Pick<DashboardParts, 'bodies' | 'details' | 'schemas'>
export type AskingOptions = Pick<PageOptions, 'extracts' | 'speech' | 'batchMaxItems'>

/** A valid form. `shared`: the body of POST /v1/batches, without its requests. */
export type AskedForm = {
  asked: AskedBatch
  shared: Record<string, unknown>
  /** A hash of all fields. It shows whether the form has changed since its cost was shown. */
  hash: string
}

/** A list longer than this, in bytes, queues with the large bodies. */
const LARGE_BYTES = 64 * 1024

/** @throws ServiceError invalid_request (`details` name invalid lines by `line`), forbidden (the plan), unavailable */
export async function askedIn(
  { bodies, details, schemas }: AskingParts,
  { extracts, speech, batchMaxItems }: AskingOptions,
  { form, org: { orgId }, signal }: OrgPageContext,
): Promise<AskedForm> {
  const shared = sharedIn(form)
  const mostItems = mostItemsOf(await details.planOf(orgId), batchMaxItems)
  const urls = shared.source === undefined ? urlsIn(form) : undefined
  if (urls === '') throw invalidRequest({ path: 'urls', message: 'are required' })
  const list = urls === undefined ? noList : await read(bodies, urls, { mostRequests: mostItems, orgId, signal })
  const asked = await batchRequestOf({ ...list, shared }, { orgId, mostItems }, { schemas, extracts, ...speech })
  return { asked, shared, hash: sha256(JSON.stringify([shared, urls])) }
}

type List = Omit<ParsedBody, 'shared'>

const noList: List = { given: null, videos: [], problems: [] }

type Reading = { mostRequests: number; orgId: string; signal: AbortSignal }

/** The videos of a typed list, with its line numbers. */
async function read(bodies: AskingParts['bodies'], urls: string, { mostRequests, ...reader }: Reading): Promise<List> {
  const { text, form, linesBefore } = writtenAs(urls)
  const bytes = Buffer.from(text)
  const asking = { isLarge: bytes.length > LARGE_BYTES, form, mostRequests }
  const { given, videos, problems } = await bodies.read(asking, async () => bytes, reader)
  const typed = <T extends { line: number }>(each: T): T => ({ ...each, line: each.line - linesBefore })
  return { given, videos: videos.map(typed), problems: problems.map(typed) }
}

const textIn = (form: URLSearchParams, name: string): string => (form.get(name) ?? '').trim()

export const urlsIn = (form: URLSearchParams): string => textIn(form, 'urls').replaceAll('\r\n', '\n')

/** Everything except the URLs. @throws ServiceError invalid_request */
function sharedIn(form: URLSearchParams): Record<string, unknown> {
  const { call, problems } = callOf(manyVideos, form)
  const [first, ...more] = problems
  if (first !== undefined) throw invalidRequest(first, ...more)
  const given = (name: string): string | undefined => textIn(form, name) || undefined
  const [maxCredits, webhookUrl] = [given('maxCredits'), given('webhookUrl')]
  return {
    operation: textIn(form, 'job') || 'transcript',
    options: call.body,
    ...(textIn(form, 'from') === 'source' && sourceOf(form)),
    ...(maxCredits !== undefined && { maxCredits: Number(maxCredits) }),
    ...(webhookUrl !== undefined && { webhookUrl }),
    ...(form.has('skipInvalid') && { skipInvalid: true }),
    ...(form.has('itemWebhooks') && { itemWebhooks: true }),
  }
}

function sourceOf(form: URLSearchParams): object {
  const source = textIn(form, 'source')
  if (source === '') throw invalidRequest({ path: 'source', message: 'is required' })
  const since = textIn(form, 'since')
  return {
    source: sourceIn(source),
    limit: Number(textIn(form, 'limit')),
    ...(since !== '' && { since: `${since}T00:00:00Z` }),
  }
}

/** People paste URLs, one per line, or the content of a file. `linesBefore`: the number of lines that this inserts. */
function writtenAs(urls: string): { text: string; form: BodyForm; linesBefore: number } {
  const [first = ''] = urls.split('\n', 1)
  const columns = first.split(',').map((name) => name.replaceAll('"', '').trim().toLowerCase())
  if (columns.includes('url')) return { text: urls, form: 'csv', linesBefore: 0 }
  // In NDJSON, the first line has everything except the requests.
  if (/^[{"]/.test(urls)) return { text: `{}\n${urls}`, form: 'ndjson', linesBefore: 1 }
  return { text: urls, form: 'lines', linesBefore: 0 }
}

/** The invalid lines; empty if the error is about something else. */
export function wrongLinesOf({ details }: ServiceError): LineProblem[] {
  return Array.isArray(details) ? (details as LineProblem[]).filter(({ line }) => line !== undefined) : []
}
