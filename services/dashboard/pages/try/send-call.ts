import { operator } from '#packages/domain/key/key.ts'
import { errorObjectOf } from '#packages/foundation/errors/error-object.ts'
import { type ErrorCode, invalidRequest, type ServiceError } from '#packages/foundation/errors/service-error.ts'
import { serviceErrorOf } from '#packages/foundation/errors/service-error-of.ts'
import { Query } from '#packages/foundation/validation/query.ts'
import { extractRequestOf } from '#packages/jobs/acceptance/extract-request.ts'
import { idempotencyKeyOf } from '#packages/jobs/acceptance/idempotency-key.ts'
import type { JobRequest } from '#packages/jobs/acceptance/job-request.ts'
import { termsOf } from '#packages/jobs/acceptance/terms.ts'
import { transcriptRequestOf } from '#packages/jobs/acceptance/transcript-request.ts'
import { UnknownJobError } from '#packages/jobs/acceptance/unknown-job-error.ts'
import { webhookNamedIn } from '#packages/jobs/webhooks/named-webhook.ts'
import { lightRequestsOf } from '#packages/platforms/lookups/light-requests.ts'
import {
  channelQuestionOf,
  metadataQuestionOf,
  playlistQuestionOf,
  profileQuestionOf,
  searchQuestionOf,
} from '#packages/platforms/lookups/questions.ts'
import { profilePlatforms } from '#packages/platforms/registry.ts'
import { sha256 } from '#packages/ports/ids.ts'
import { acceptJob } from '../../accept-job.ts'
import { metadataOf } from '../../http/metadata.ts'
import { onceIn } from '../../once.ts'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import type { OrgPageContext } from '../../route.ts'
import type { ReadParts } from '../jobs/read-job.ts'
import { type Call, callOf } from './call.ts'
import type { Operation, OperationName } from './operations.ts'

export type TryParts = Pick<
  DashboardParts,
  'acceptance' | 'webhooks' | 'details' | 'estimates' | 'lookups' | 'schemas' | 'rates' | 'clock' | 'ids' | 'log'
> &
  ReadParts
export type TryOptions = Pick<PageOptions, 'root' | 'extracts' | 'speech'>

/** The answer that `/v1` would have given. */
export type Answered = {
  status: number
  /** The body. */
  body: unknown
  /** How long it took, milliseconds. */
  tookMs: number
  /** The job that was accepted, or that may have been. `held`: credits; undefined: not known. */
  job?: { jobId: string; held?: number }
  /** The facts that the headers would have given. */
  note?: string
  error?: ServiceError
}

type Asked = { operation: Operation; call: Call; context: OrgPageContext; form: URLSearchParams }
type Good = Pick<Answered, 'status' | 'body' | 'job' | 'note'>

const ok = (body: unknown, more: Pick<Answered, 'note'> = {}): Good => ({ status: 200, body, ...more })

/** Errors that are not logged, because their cause is not ours or is known. */
const expected: ReadonlySet<ErrorCode> = new Set(['upstream_error'])

/** Carries out the call of a form as `/v1` does, on behalf of the organization and without a key. */
export async function sendCall(
  parts: TryParts,
  options: TryOptions,
  { operation, context, form }: Pick<Asked, 'operation' | 'context' | 'form'>,
): Promise<Answered> {
  const { clock, log, rates } = parts
  const startedAt = clock.now()
  const { call, problems } = callOf(operation, form)
  try {
    if (operation.tier === 'heavy') await rates.ofPages('heavy', context.org.orgId)
    if (problems.length > 0) throw invalidRequest(...problems)
    const good = await senders[operation.name](parts, options, { operation, call, context, form })
    return { ...good, tookMs: clock.now() - startedAt }
  } catch (thrown) {
    const error = serviceErrorOf(thrown)
    if (error.status >= 500 && error.cause !== undefined && !expected.has(error.code))
      log.error({ requestId: context.shownId, err: error.cause }, 'a request failed')
    const body = errorObjectOf(error, context.baseUrl)
    const job = error instanceof UnknownJobError ? { job: { jobId: error.jobId } } : {}
    return { status: error.status, body, tookMs: clock.now() - startedAt, ...job, error }
  }
}

type Sender = (parts: TryParts, options: TryOptions, asked: Asked) => Promise<Good>

const senders: Readonly<Record<OperationName, Sender>> = {
  transcript: (parts, { speech }, asked) => sendJob(parts, asked, async (body) => transcriptRequestOf(body, speech)),
  extract: (parts, { extracts }, asked) =>
    sendJob(parts, asked, (body, orgId) => extractRequestOf(body, orgId, { schemas: parts.schemas, extracts })),
  async metadata({ lookups }, _options, { call, context }) {
    const { url, include } = metadataQuestionOf(queryOf(call))
    const { metadata, missing } = await lookups.metadata(askerOf(context), url, include)
    return ok(metadata, missing.length > 0 ? { note: `Could not be read: ${missing.join(', ')}.` } : {})
  },
  async search({ lookups }, _options, { call, context }) {
    const { results, incomplete, nextCursor } = await lookups.search(askerOf(context), searchQuestionOf(queryOf(call)))
    return ok(
      results,
      noteOf(
        incomplete.map((platform) => `Could not be searched: ${platform}.`),
        nextCursor,
      ),
    )
  },
  async profiles({ lookups }, _options, { call, context }) {
    const platform = profilePlatforms.find(({ name }) => call.path.split('/')[2] === name)
    if (platform === undefined) throw invalidRequest({ path: 'platform', message: 'has no profiles here' })
    const { profile, nextCursor } = await lookups.profile(
      askerOf(context),
      platform.name,
      profileQuestionOf(queryOf(call)),
    )
    return ok(profile, noteOf([], nextCursor))
  },
  async channel({ lookups, rates }, _options, { call, context }) {
    await countList(rates, call, context)
    return ok(await lookups.channel(askerOf(context), channelQuestionOf(queryOf(call))))
  },
  async playlist({ lookups, rates }, _options, { call, context }) {
    await countList(rates, call, context)
    return ok(await lookups.playlist(askerOf(context), playlistQuestionOf(queryOf(call))))
  },
  async estimate({ estimates }, _options, { call, context }) {
    return ok(await estimates.estimate(call.body, { ...askerOf(context), ...operator }))
  },
}

/** The facts that the headers of the answer would have given. */
const noteOf = (notes: readonly string[], nextCursor: string | null): Pick<Answered, 'note'> => {
  const note = [...notes, ...(nextCursor === null ? [] : [`The next page has the cursor ${nextCursor}`])].join(' ')
  return note === '' ? {} : { note }
}

/** A long list counts as several requests. The request of the page was counted as the first. */
async function countList(rates: TryParts['rates'], call: Call, { org }: OrgPageContext): Promise<void> {
  for (let request = 1; request < lightRequestsOf(queryOf(call)); request++) await rates.ofPages('light', org.orgId)
}

const askerOf = ({ org, requestId }: OrgPageContext) => ({ orgId: org.orgId, requestId })

const queryOf = ({ query }: Call): Query => new Query(new URLSearchParams(query.map(([name, value]) => [name, value])))

async function sendJob(
  parts: TryParts,
  { operation, call, context, form }: Asked,
  requestOf: (body: unknown, orgId: string) => Promise<JobRequest>,
): Promise<Good> {
  const { org } = context
  const idempotencyKey = idempotencyKeyOf(call.headers['Idempotency-Key']) ?? onceOf(form, operation, call)
  const request = await requestOf(call.body, org.orgId)
  const webhook = webhookNamedIn(call.body, parts, { by: operator, metadata: metadataOf(context) })
  const terms = termsOf(call.body, webhook)
  const { jobId, held } = await acceptJob(parts, context, { request, terms, idempotencyKey })
  return { status: 202, body: { jobId, status: 'queued' }, job: { jobId, ...(held !== undefined && { held }) } }
}

/** A form that is sent twice, by a double click or a reload, makes one job. */
function onceOf(form: URLSearchParams, { name }: Operation, { body }: Call): string | undefined {
  const once = onceIn(form)
  return once && `${name}-${once}-${sha256(JSON.stringify(body))}`
}
