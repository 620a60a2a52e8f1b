import type { RequestHandler } from 'express'
import type { Acceptance } from '#packages/acceptance/acceptance.ts'
import type { JobRequest } from '#packages/acceptance/job-request.ts'
import { invalidRequest } from '#packages/errors/service-error.ts'
import type { LoopMonitor } from '#packages/telemetry/loop-monitor.ts'
import type { Answers } from '../answers/answer.ts'
import { readJsonBody } from '../requests/read-body.ts'
import { callerOf, visitOf } from '../requests/visit.ts'

export type PostOptions = {
  maxBodyBytes: number
  /** Where the jobs are polled, such as `/v1/transcript`. */
  path: string
  /** What a body of an organization asks for. @throws ServiceError */
  requestOf(body: unknown, orgId: string): Promise<JobRequest>
}

const idempotencyKeyForm = /^[ -~]{1,255}$/

/** @throws ServiceError invalid_request */
export function idempotencyKeyOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && idempotencyKeyForm.test(header)) return header
  throw invalidRequest({ path: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters' })
}

/** Takes on a job of any kind. */
export const postJob =
  (
    { acceptance, answers, loop }: { acceptance: Acceptance; answers: Answers; loop: LoopMonitor },
    { maxBodyBytes, path, requestOf }: PostOptions,
  ): RequestHandler =>
  async (request, response) => {
    const idempotencyKey = idempotencyKeyOf(request.headers['idempotency-key'])
    const visit = visitOf(response)
    const { orgId } = callerOf(response)
    const body = await readJsonBody(request, maxBodyBytes)
    loop.note(visit)
    const accepted = await requestOf(body, orgId)
    const metadata = { orgId, causationId: visit.requestId, traceparent: visit.traceparent }
    const jobId = await acceptance.accept({ request: accepted, idempotencyKey, metadata })
    visit.jobId = jobId
    const headers = { Location: `${path}/${jobId}`, 'Retry-After': '1' }
    answers.json(response, 202, { jobId, status: 'queued' }, headers)
  }
