import type { RequestHandler } from 'express'
import { type Acceptance, isShortOfCredits, UnknownJobError } from '#packages/acceptance/acceptance.ts'
import { idempotencyKeyOf } from '#packages/acceptance/idempotency-key.ts'
import type { JobRequest } from '#packages/acceptance/job-request.ts'
import { surfaceOf } from '#packages/acceptance/surface.ts'
import type { Ledgers } from '#packages/ledger/ledgers.ts'
import type { LoopMonitor } from '#packages/telemetry/loop-monitor.ts'
import { webhookNamedIn } from '#packages/webhooks/named-webhook.ts'
import type { Answers } from '../answers/answers.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import { readJsonBody } from '../requests/read-json-body.ts'
import { callerOf, contextOf, joinJob, joinUnknownJob, metadataOf } from '../requests/request-context.ts'

export type PostParts = Parameters<typeof webhookNamedIn>[1] & {
  acceptance: Acceptance
  ledgers: Pick<Ledgers, 'knownBalance'>
  rates: Pick<RateLimits, 'giveHeavyBack'>
  answers: Answers
  loop: LoopMonitor
}

export type PostOptions = {
  maxBodyBytes: number
  /** The path where the jobs are polled, such as `/v1/transcript`. */
  path: string
  /** The job that a body asks for. @throws ServiceError */
  requestOf(body: unknown, orgId: string): Promise<JobRequest>
}

/** Accepts a job of any kind. */
export const postJob =
  (parts: PostParts, { maxBodyBytes, path, requestOf }: PostOptions): RequestHandler =>
  async (request, response) => {
    const { acceptance, ledgers, rates, answers, loop } = parts
    const idempotencyKey = idempotencyKeyOf(request.headers['idempotency-key'])
    const context = contextOf(response)
    const { orgId, keyId, grant } = callerOf(response)
    const { monthlyCredits } = grant
    const body = await readJsonBody(request, maxBodyBytes)
    loop.note(context)
    const accepted = await requestOf(body, orgId)
    const metadata = { orgId, causationId: context.requestId, traceparent: context.traceparent }
    const surface = surfaceOf(request.headers['user-agent'])
    const webhook = webhookNamedIn(body, parts, { by: callerOf(response), metadata: metadataOf(response) })
    const application = { request: accepted, webhook, keyId, surface, monthlyCredits, idempotencyKey, metadata }
    const job = await acceptance.accept(application).catch(async (error: unknown) => {
      if (isShortOfCredits(error)) await rates.giveHeavyBack(response)
      if (error instanceof UnknownJobError) joinUnknownJob(context, error)
      throw error
    })
    joinJob(context, job)
    const { jobId, held } = job
    context.creditsRemaining = ledgers.knownBalance(orgId)
    const headers = { Location: `${path}/${jobId}`, 'Retry-After': '1', 'X-Credits-Held': String(held) }
    answers.json(response, 202, { jobId, status: 'queued' }, headers)
  }
