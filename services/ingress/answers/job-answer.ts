import type { TimedOutJob } from '#contracts/generated/http.ts'
import { transcriptForms } from '#packages/content/captions/transcript-forms.ts'
import type { WantedForm } from '#packages/content/results/read-result.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { SeenJob } from '#packages/jobs/status/job-watch.ts'
import type { Headers } from './answers.ts'
import type { ErrorObjects } from './error-objects.ts'

/** The answer to a poll. `traceId`: trace of the job. */
export type JobAnswer = { traceId: string; status: number; text: string; etag: string; headers: Headers }

/** The status is enough as a validator: an ended job never changes, and a queued one always has the same answer. */
const etags: Record<SeenJob['status'], string> = { queued: '"queued"', completed: '"completed"', failed: '"failed"' }

const headersOf = (status: SeenJob['status']): Headers => ({
  ETag: etags[status],
  'Cache-Control': 'private, no-cache',
  Vary: 'Accept',
})

const headers = { queued: headersOf('queued'), completed: headersOf('completed'), failed: headersOf('failed') }

function timedOut(jobId: string, message: string, errors: ErrorObjects): TimedOutJob {
  const error = errors.of(new ServiceError('timeout', message))
  return { ...error, error: 'timeout', details: null, jobId, status: 'failed', resultJson: null }
}

/** The Job object as JSON; a job that timed out is answered with status 504. */
function bodyOf(jobId: string, seen: SeenJob, errors: ErrorObjects): { status: number; text: string } {
  if (seen.status === 'queued') {
    return { status: 200, text: `{"jobId":"${jobId}","status":"queued","resultJson":null,"error":null}` }
  }
  if (seen.status === 'failed' && seen.error.code === 'timeout') {
    return { status: 504, text: JSON.stringify(timedOut(jobId, seen.error.message, errors)) }
  }
  if (seen.status === 'completed') {
    return { status: 200, text: `{"jobId":"${jobId}","status":"completed","resultJson":${seen.result},"error":null}` }
  }
  return { status: 200, text: JSON.stringify({ jobId, status: seen.status, resultJson: null, error: seen.error }) }
}

/**
 * Adds headers to the answer of an ended job: its cost, why captions were not used, and the job with the reused result.
 */
function withEnd(of: Headers, seen: SeenJob): Headers {
  if (seen.status === 'queued') return of
  const { captionsUnread: unread, reused } = seen.status === 'completed' ? seen : {}
  return {
    ...of,
    'X-Credits-Charged': String(seen.charged),
    ...(unread !== undefined && { 'X-Captions-Unread': unread }),
    ...(reused !== undefined && { 'X-Reused-Job': reused }),
  }
}

export const jobAnswerOf = (jobId: string, seen: SeenJob, errors: ErrorObjects): JobAnswer => ({
  traceId: seen.traceId,
  ...bodyOf(jobId, seen, errors),
  etag: etags[seen.status],
  headers: withEnd(headers[seen.status], seen),
})

/** True if it shows the end of the job. */
export const hasEnded = ({ etag }: JobAnswer): boolean => etag !== etags.queued

/** True if it has a result. */
export const isCompleted = ({ etag }: JobAnswer): boolean => etag === etags.completed

const JSON_TYPE = 'application/json; charset=utf-8'

/** The answer with its transcript in another form. */
export function inForm(answer: JobAnswer, form: WantedForm, text: string): JobAnswer {
  const isText = typeof form === 'string'
  const contentType = isText ? transcriptForms[form].contentType : JSON_TYPE
  const etag = `"completed:${isText ? contentType.split(';', 1)[0] : `chunks-${form.chunkSize}`}"`
  const more = { ETag: etag, 'Content-Type': contentType, 'X-Content-Type-Options': 'nosniff' }
  return { ...answer, text, etag, headers: { ...answer.headers, ...more } }
}
