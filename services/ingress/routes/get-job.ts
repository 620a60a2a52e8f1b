import type { RequestHandler, Response } from 'express'
import type { JobWatch } from '#packages/jobs/job-watch.ts'
import type { JobDocument } from '#packages/views/jobs.ts'
import type { Answers } from '../answers/answers.ts'
import type { EndedJobs } from '../answers/ended-jobs.ts'
import type { ErrorObjects } from '../answers/error-objects.ts'
import { inForm, type JobAnswer, jobAnswerOf } from '../answers/job-answer.ts'
import { transcriptFormOf } from '../answers/transcript-form.ts'
import { callerOf, contextOf, pathParameter } from '../requests/request-context.ts'
import { whileOpen } from '../requests/while-open.ts'
import { noSuchJob } from './job-details.ts'

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

function answerJob(answers: Answers, response: Response, answer: JobAnswer, ifNoneMatch?: string): void {
  const { status, text, etag, headers } = answer
  if (status === 200 && matches(ifNoneMatch, etag)) answers.empty(response, 304, headers)
  else answers.text(response, status, text, headers)
}

type Parts = { watch: JobWatch; ended: EndedJobs; answers: Answers; errors: ErrorObjects }

/** GET /v1/transcript/{jobId}; `closing` ends the waits of `Prefer: wait`. `Accept` may ask for another form than JSON. */
export const getJob =
  (
    { watch, ended, answers, errors }: Parts,
    { kind, maxWaitSeconds, closing }: { kind: JobDocument['kind']; maxWaitSeconds: number; closing: AbortSignal },
  ): RequestHandler =>
  async (request, response) => {
    const jobId = pathParameter(request, 'jobId')
    const question = { jobId, orgId: callerOf(response).orgId, kind }
    const form = kind === 'transcript' ? transcriptFormOf(request.headers) : undefined
    let answer = ended.answer(question, form)
    if (answer === undefined) {
      const waitMs = waitSecondsOf(request.headers.prefer, maxWaitSeconds) * 1000
      const seen =
        waitMs === 0
          ? await watch.see(question)
          : await whileOpen(response, closing, (signal) => watch.wait(question, waitMs, signal))
      if (seen === undefined) throw noSuchJob()
      const inJson = jobAnswerOf(jobId, seen, errors)
      if (seen.status !== 'queued') ended.remember(question, inJson)
      answer = ended.answer(question, form) ?? inForm(inJson, form)
    }
    contextOf(response).job = { jobId, traceId: answer.traceId }
    answerJob(answers, response, answer, request.headers['if-none-match'])
  }
