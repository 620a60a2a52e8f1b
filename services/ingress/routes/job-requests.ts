import type { Request, RequestHandler, Response } from 'express'
import type { JobKind } from '#packages/domain/job/events.ts'
import { hasScope } from '#packages/domain/key/grant.ts'
import { extractRequestOf } from '#packages/jobs/acceptance/extract-request.ts'
import { idempotencyKeyOf } from '#packages/jobs/acceptance/idempotency-key.ts'
import type { JobRequest } from '#packages/jobs/acceptance/job-request.ts'
import { isShortOfCredits } from '#packages/jobs/acceptance/short-of-credits.ts'
import { surfaceOf } from '#packages/jobs/acceptance/surface.ts'
import { termsOf } from '#packages/jobs/acceptance/terms.ts'
import { transcriptRequestOf } from '#packages/jobs/acceptance/transcript-request.ts'
import { UnknownJobError } from '#packages/jobs/acceptance/unknown-job-error.ts'
import { webhookNamedIn } from '#packages/jobs/webhooks/named-webhook.ts'
import { hasEnded, type JobAnswer } from '../answers/job-answer.ts'
import { type Poll, pollJob } from '../answers/poll-job.ts'
import type { Operations } from '../authentication/permit.ts'
import type { IngressOptions } from '../options.ts'
import { readJsonBody } from '../requests/read-json-body.ts'
import { callerOf, contextOf, joinJob, joinUnknownJob, metadataOf } from '../requests/request-context.ts'
import { waitSecondsOf } from '../requests/wait-preference.ts'
import { wantedFormOf } from '../requests/wanted-form.ts'
import { getJob } from './get-job.ts'
import type { Answering, RouteParts } from './route-parts.ts'

type Parts = Answering &
  Pick<
    RouteParts,
    | 'watch'
    | 'ended'
    | 'ledgers'
    | 'errors'
    | 'closing'
    | 'webhooks'
    | 'details'
    | 'acceptance'
    | 'schemas'
    | 'loop'
    | 'waits'
  >

type Options = Pick<IngressOptions, 'maxBodyBytes' | 'maxWaitSeconds' | 'extracts' | 'speech'>

/**
 * The operations that request transcripts and extractions, and poll them, by path below /v1. Extractions are answered
 * with 503 if `extracts` is false, because the service has no language model.
 */
export function jobRequestOperations(parts: Parts, options: Options): Record<string, Operations> {
  const { schemas, rates } = parts
  const { maxWaitSeconds, extracts, speech } = options
  const pollOf = (kind: JobKind): Operations => ({
    GET: { scope: 'read', limit: rates.polls, answer: getJob(parts, { kind, maxWaitSeconds }) },
  })
  const postOf = (job: PostedJob): Operations => ({
    POST: { scope: 'jobs', limit: rates.heavy, answer: postJob(parts, job, options) },
  })
  return {
    '/transcript/{jobId}': pollOf('transcript'),
    '/extract/{jobId}': pollOf('extraction'),
    '/transcript': postOf({
      kind: 'transcript',
      path: '/v1/transcript',
      requestOf: async (body) => transcriptRequestOf(body, speech),
    }),
    '/extract': postOf({
      kind: 'extraction',
      path: '/v1/extract',
      requestOf: (body, orgId) => extractRequestOf(body, orgId, { schemas, extracts }),
    }),
  }
}

type PostedJob = {
  kind: JobKind
  /** The path at which to poll the jobs. */
  path: string
  /** The job in a body. @throws ServiceError */
  requestOf(body: unknown, orgId: string): Promise<JobRequest>
}

/** Accepts a job of any kind. With `Prefer: wait=N` the answer is the job's end, if it comes in time. */
const postJob =
  (parts: Parts, { kind, path, requestOf }: PostedJob, { maxBodyBytes, maxWaitSeconds }: Options): RequestHandler =>
  async (request, response) => {
    const { acceptance, ledgers, rates, answers, loop } = parts
    const form = wantedFormOf(request, kind)
    const idempotencyKey = idempotencyKeyOf(request.headers['idempotency-key'])
    const context = contextOf(response)
    const { orgId, keyId, grant } = callerOf(response)
    const { monthlyCredits } = grant
    const body = await readJsonBody(request, maxBodyBytes)
    loop.note(context.section)
    const accepted = await requestOf(body, orgId)
    const metadata = { orgId, causationId: context.requestId, traceparent: context.traceparent }
    const surface = surfaceOf(request.headers['user-agent'])
    const webhook = webhookNamedIn(body, parts, { by: callerOf(response), metadata: metadataOf(response) })
    const asked = { request: accepted, terms: termsOf(body, webhook), surface, idempotencyKey }
    const application = { ...asked, keyId, monthlyCredits, metadata }
    const job = await acceptance.accept(application).catch(async (error: unknown) => {
      if (isShortOfCredits(error)) await rates.giveHeavyBack(response)
      if (error instanceof UnknownJobError) joinUnknownJob(context, error)
      throw error
    })
    joinJob(context, job)
    const { jobId, held, reused } = job
    const location = { Location: `${path}/${jobId}` }
    const waitSeconds = waitSecondsIn(request, response, maxWaitSeconds)
    const ended = await endOf(parts, { question: { jobId, orgId, kind }, waitSeconds, form }, response)
    if (ended !== undefined) return answers.text(response, ended.status, ended.text, { ...ended.headers, ...location })
    context.creditsRemaining = ledgers.knownBalance(orgId)
    const reuse = reused !== null && { 'X-Reused-Job': reused }
    const headers = { ...location, 'Retry-After': '1', 'X-Credits-Held': String(held), ...reuse }
    answers.json(response, 202, { jobId, status: 'queued' }, headers)
  }

/** The wait that a POST asks for; 0 if its key may not read the answer to a poll. */
const waitSecondsIn = ({ headers }: Request, response: Response, maxSeconds: number): number =>
  hasScope(callerOf(response).grant, 'read') ? waitSecondsOf(headers.prefer, maxSeconds) : 0

/** The poll's answer once the job has ended; undefined if it does not end in time, or if too many wait. */
async function endOf(parts: Parts, poll: Poll, response: Response): Promise<JobAnswer | undefined> {
  if (poll.waitSeconds === 0) return undefined
  const over = parts.waits.begin(poll.question.orgId)
  if (over === undefined) return undefined
  try {
    const answer = await pollJob(parts, poll, response)
    return hasEnded(answer) ? answer : undefined
  } catch {
    // The job was accepted, so the caller gets the 202 in any case. A poll will meet the same error, and report it.
    return undefined
  } finally {
    over()
  }
}
