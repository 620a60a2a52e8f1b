import type { RequestHandler } from 'express'
import { invalidRequest } from '#packages/errors/service-error.ts'
import type { JobDesk } from '../accept-job.ts'
import type { Answers } from '../answer.ts'
import { isTranscriptRequest } from '../http-validators.ts'
import type { JobRequest } from '../job-request.ts'
import { readJsonBody } from '../read-body.ts'
import { videoOf } from '../sources.ts'
import { validated } from '../validate.ts'
import { callerOf, visitOf } from '../visit.ts'

const idempotencyKeyForm = /^[ -~]{1,255}$/

/** @throws ServiceError invalid_request */
export function idempotencyKeyOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && idempotencyKeyForm.test(header)) return header
  throw invalidRequest({ path: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters' })
}

/** A language tag in its canonical spelling: `EN-us` is `en-US`. */
function languageOf(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? tag
  } catch {
    throw invalidRequest({ path: 'lang', message: 'must be a BCP 47 language tag' })
  }
}

/** What a body asks for. @throws ServiceError invalid_request */
export function transcriptRequestOf(body: unknown): JobRequest {
  const { url, mode = 'auto', lang } = validated(isTranscriptRequest, body)
  const language = lang === undefined ? null : languageOf(lang)
  const { canonical } = videoOf(url)
  return { kind: 'transcript', url: canonical, mode, lang: language, prompt: null, schema: null }
}

/** POST /v1/transcript */
export const postTranscript =
  (
    { desk, answers }: { desk: JobDesk; answers: Answers },
    { maxBodyBytes }: { maxBodyBytes: number },
  ): RequestHandler =>
  async (request, response) => {
    const idempotencyKey = idempotencyKeyOf(request.headers['idempotency-key'])
    const accepted = transcriptRequestOf(await readJsonBody(request, maxBodyBytes))
    const visit = visitOf(response)
    const { orgId } = callerOf(response)
    const metadata = { orgId, causationId: visit.requestId, traceparent: visit.traceparent }
    const jobId = await desk.accept({ request: accepted, idempotencyKey, metadata })
    visit.jobId = jobId
    const headers = { Location: `/v1/transcript/${jobId}`, 'Retry-After': '1' }
    answers.json(response, 202, { jobId, status: 'queued' }, headers)
  }
