import type { RequestHandler, Response } from 'express'
import type { TimedOutJob } from '#contracts/generated/http.ts'
import { ServiceError } from '#packages/errors/service-error.ts'
import type { JobDocument } from '#packages/views/jobs.ts'
import { type Answers, errorObject } from '../answer.ts'
import type { JobWatch, SeenJob } from '../job-watch.ts'
import { callerOf, pathParameter, visitOf } from '../visit.ts'

const waitPreference = /(?:^|[,;\s])wait=(\d{1,6})(?=$|[,;\s])/i

/** Seconds that `Prefer: wait=N` asks for; 0 where it is absent or malformed. */
export function waitSecondsOf(prefer: string | string[] | undefined, maxSeconds: number): number {
  if (typeof prefer !== 'string') return 0
  return Math.min(Number(waitPreference.exec(prefer)?.[1] ?? 0), maxSeconds)
}

/** Whether an If-None-Match names this tag (weak comparison, RFC 9110). */
export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}

/** A job that has ended never changes, and one that has not always looks the same. */
const etags: Record<SeenJob['status'], string> = { queued: '"queued"', completed: '"completed"', failed: '"failed"' }

const headersOf = (status: SeenJob['status']) => ({ ETag: etags[status], 'Cache-Control': 'private, no-cache' })

const headers = { queued: headersOf('queued'), completed: headersOf('completed'), failed: headersOf('failed') }

const notFound = (): ServiceError => new ServiceError('not_found', 'There is no such job.')

function timedOut(jobId: string, message: string): TimedOutJob {
  const error = errorObject(new ServiceError('timeout', message))
  return { ...error, error: 'timeout', details: null, jobId, status: 'failed', resultJson: null }
}

/** The Job object as JSON; a timed-out job is told with status 504. */
function bodyOf(jobId: string, seen: SeenJob): { status: number; text: string } {
  if (seen.status === 'queued') {
    return { status: 200, text: `{"jobId":"${jobId}","status":"queued","resultJson":null,"error":null}` }
  }
  if (seen.status === 'failed' && seen.error.code === 'timeout') {
    return { status: 504, text: JSON.stringify(timedOut(jobId, seen.error.message)) }
  }
  const resultJson = seen.status === 'completed' ? seen.result : null
  const error = seen.status === 'failed' ? seen.error : null
  return { status: 200, text: JSON.stringify({ jobId, status: seen.status, resultJson, error }) }
}

function answerJob(answers: Answers, response: Response, jobId: string, seen: SeenJob, ifNoneMatch?: string): void {
  const { status, text } = bodyOf(jobId, seen)
  if (status === 200 && matches(ifNoneMatch, etags[seen.status])) {
    answers.empty(response, 304, headers[seen.status])
  } else {
    answers.text(response, status, text, headers[seen.status])
  }
}

/** GET /v1/transcript/{jobId}; `closing` ends the waits of `Prefer: wait`. */
export const getJob =
  (
    { watch, answers }: { watch: JobWatch; answers: Answers },
    { kind, maxWaitSeconds, closing }: { kind: JobDocument['kind']; maxWaitSeconds: number; closing: AbortSignal },
  ): RequestHandler =>
  async (request, response) => {
    const jobId = pathParameter(request, 'jobId')
    const { orgId } = callerOf(response)
    const question = { jobId, orgId, kind }
    const waitMs = waitSecondsOf(request.headers.prefer, maxWaitSeconds) * 1000
    const seen =
      waitMs === 0
        ? await watch.see(question)
        : await waitFor(response, closing, (signal) => watch.wait(question, waitMs, signal))
    if (seen === undefined) throw notFound()
    visitOf(response).jobId = jobId
    answerJob(answers, response, jobId, seen, request.headers['if-none-match'])
  }

/** Waits no longer than the caller does, nor than the server serves. */
async function waitFor<T>(
  response: Response,
  closing: AbortSignal,
  wait: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = new AbortController()
  const leave = (): void => end.abort()
  if (closing.aborted) leave()
  response.once('close', leave)
  closing.addEventListener('abort', leave)
  try {
    return await wait(end.signal)
  } finally {
    response.off('close', leave)
    closing.removeEventListener('abort', leave)
  }
}
