/** @jsxRuntime automatic @jsxImportSource preact */

import { placeOf } from '#packages/content/results/transcript-page.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { extractRequestOf } from '#packages/jobs/acceptance/extract-request.ts'
import type { JobRequest } from '#packages/jobs/acceptance/job-request.ts'
import { isShortOfCredits } from '#packages/jobs/acceptance/short-of-credits.ts'
import { noTerms } from '#packages/jobs/acceptance/terms.ts'
import { transcriptRequestOf } from '#packages/jobs/acceptance/transcript-request.ts'
import { cancelJob } from '#packages/jobs/status/cancel-job.ts'
import { platformOf } from '#packages/platforms/urls/platform-of.ts'
import { streams } from '#packages/ports/ids.ts'
import { acceptJob } from '../../accept-job.ts'
import { errorOfFlash, flashedErrorOf } from '../../http/flashed-error.ts'
import { CreditsHint } from '../../look/credits-hint.tsx'
import { Missing, orMissing } from '../../look/missing.tsx'
import { onceIn } from '../../once.ts'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { type OrgPageContext, type Page, page, pathOf, type Route, redirect } from '../../route.ts'
import { headingOf, JobPage } from './job-page.tsx'
import { historyOf, noJobHere, type ReadParts, readJob } from './read-job.ts'
import { picturesIn } from './thumbnails.tsx'

type Parts = ReadParts & Pick<DashboardParts, 'acceptance' | 'schemas' | 'forget' | 'ids' | 'rates' | 'sealer'>
type Options = Pick<PageOptions, 'root' | 'extracts' | 'speech' | 'giveUpAfterMs'>

/** The longest wait for a cancelled job's settlement, milliseconds. After it, the page shows the job as ended. */
const SETTLED_WITHIN_MS = 3000

/** The page of one job, and its actions. */
export function jobRoutes(parts: Parts, options: Options): Route[] {
  const path = '/org/:orgId/jobs/:jobId'
  return [
    { path, access: 'member', get: (context) => showJob(parts, options, context) },
    { path: `${path}/cancel`, access: 'member', post: (context) => cancel(parts, options, context) },
    { path: `${path}/delete`, access: 'member', post: (context) => deleteContent(parts, context) },
    { path: `${path}/again`, access: 'member', post: (context) => again(parts, options, context) },
  ]
}

export const ownedIn = ({ params, org: { orgId } }: OrgPageContext): { jobId: string; orgId: string } => ({
  jobId: params.jobId ?? '',
  orgId,
})

async function showJob(parts: Parts, options: Options, context: OrgPageContext): Promise<Page> {
  const refused = context.flash.error && errorOfFlash(context.flash.error)
  const owned = ownedIn(context)
  const { orgId, jobId } = owned
  const place = placeOf(context.query)
  const read = await orMissing(() => readJob(parts, owned, { place, signal: context.signal }))
  if (read.missing) return page({ title: 'Job', section: 'jobs', status: 503, main: <Missing what="This job" /> })
  const job = read.value
  const { traceId, url } = job.details
  context.isAboutJob({ jobId, traceId })
  const platform = url === null ? null : platformOf(url)
  const pictureOf = picturesIn(parts, options, orgId)
  return page({
    title: headingOf(job),
    section: 'jobs',
    status: refused?.status ?? 200,
    main: (
      <JobPage
        job={job}
        platform={platform}
        picture={platform ? pictureOf({ platform, thumbnail: job.thumbnail }) : undefined}
        list={options.root + pathOf(orgId, 'jobs')}
        batches={options.root + pathOf(orgId, 'batches')}
        place={place}
        once={parts.ids.uuid()}
        problem={refused && <Refused error={refused} base={`${options.root}/org/${orgId}`} />}
      />
    ),
  })
}

const Refused = ({ error, base }: { error: ServiceError; base: string }) => (
  <p class="notice bad" role="alert">
    <strong>{error.message}</strong> <CreditsHint base={base} />
  </p>
)

/** Cancels the job, like DELETE /v1/jobs/{jobId}. */
async function cancel(parts: Parts, options: Options, context: OrgPageContext) {
  const owned = ownedIn(context)
  const { jobId, orgId } = owned
  const cancelled = await cancelJob(parts, { jobId, orgId, requestId: context.requestId }, options)
  if (cancelled === undefined) throw noJobHere()
  const { kind, traceparent } = cancelled
  context.follows({ jobId, traceparent })
  const seen = await parts.watch.wait({ jobId, orgId, kind }, SETTLED_WITHIN_MS, context.signal)
  const isCancelled = seen?.status === 'queued' || (seen?.status === 'failed' && seen.error.code === 'cancelled')
  return redirect(`${pathOf(orgId, 'jobs')}/${jobId}`, { notice: isCancelled ? 'job-cancelled' : 'job-ended-before' })
}

/** Removes everything about the job except its credits, like DELETE /v1/jobs/{jobId}/content. */
async function deleteContent(parts: Parts, context: OrgPageContext) {
  const owned = ownedIn(context)
  await parts.forget({ ...owned, cause: context.requestId })
  return redirect(pathOf(owned.orgId, 'jobs'), { notice: 'content-deleted' })
}

/** Begins another job with the same request. The form has an id, so sending it twice begins only one. */
async function again(parts: Parts, options: Options, context: OrgPageContext) {
  const owned = ownedIn(context)
  const { orgId } = owned
  await parts.rates.ofPages('heavy', orgId)
  const request = await requestAgain(parts, options, owned, context.form.get('mode'))
  try {
    const job = await acceptJob(parts, context, { request, terms: noTerms, idempotencyKey: onceOf(context.form) })
    return redirect(`${pathOf(orgId, 'jobs')}/${job.jobId}`, { notice: 'job-begun' })
  } catch (error) {
    if (!isShortOfCredits(error)) throw error
    const flash = { error: flashedErrorOf(error as ServiceError, context) }
    return redirect(`${pathOf(orgId, 'jobs')}/${owned.jobId}`, { flash })
  }
}

const onceOf = (form: URLSearchParams): string | undefined => {
  const once = onceIn(form)
  return once && `dashboard-${once}`
}

/**
 * The request of the job, validated again, because the service's configuration may have changed.
 * @param otherMode the mode of a transcript; null: unchanged
 * @throws ServiceError
 */
async function requestAgain(
  { store, history, schemas }: Parts,
  { extracts, speech }: Options,
  owned: ReturnType<typeof ownedIn>,
  otherMode: string | null,
): Promise<JobRequest> {
  await historyOf({ history }, owned)
  const [first] = await store.read(streams.job(owned.jobId), { from: 0, to: 0 })
  if (first?.type !== 'JobRequested') throw new ServiceError('not_found', 'This job was not accepted.')
  const { kind, url, mode, lang, prompt, schema, options } = first.data
  const asked = Object.fromEntries(Object.entries(options).filter(([, isAsked]) => isAsked))
  const body = { url, ...(lang !== null && { lang }), ...asked }
  if (kind === 'transcript')
    return transcriptRequestOf({ ...body, mode: otherMode ?? mode }, { tellsSpeakers: speech.tellsSpeakers })
  return extractRequestOf({ ...body, prompt, ...(schema && { schema }) }, owned.orgId, { schemas, extracts })
}
