import type { RequestHandler, Response } from 'express'
import type { JobWatch } from '#packages/jobs/job-watch.ts'
import { noSuchJob } from '#packages/jobs/no-such-job.ts'
import type { Ledgers } from '#packages/ledger/ledgers.ts'
import type { JobDocument } from '#packages/views/jobs.ts'
import type { Answers } from '../answers/answers.ts'
import type { EndedJobs } from '../answers/ended-jobs.ts'
import type { ErrorObjects } from '../answers/error-objects.ts'
import { type JobAnswer, jobAnswerOf } from '../answers/job-answer.ts'
import { transcriptFormOf } from '../answers/transcript-form.ts'
import { callerOf, contextOf, pathParameter } from '../requests/request-context.ts'
import { whileOpen } from '../requests/while-open.ts'

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

type Parts = { watch: JobWatch; ended: EndedJobs; ledgers: Ledgers; answers: Answers; errors: ErrorObjects }

/** How long a poll waits for the balance, milliseconds: it is not what was asked for. */
const BALANCE_WITHIN_MS = 250

/** GET /v1/transcript/{jobId}; `closing` ends the waits of `Prefer: wait`. `Accept` may ask for another form than JSON. */
export const getJob =
  (
    { watch, ended, ledgers, answers, errors }: Parts,
    { kind, maxWaitSeconds, closing }: { kind: JobDocument['kind']; maxWaitSeconds: number; closing: AbortSignal },
  ): RequestHandler =>
  async (request, response) => {
    const jobId = pathParameter(request, 'jobId')
    const { orgId } = callerOf(response)
    const question = { jobId, orgId, kind }
    const context = contextOf(response)
    const form = kind === 'transcript' ? transcriptFormOf(request.headers) : undefined
    let answer = ended.answer(question)
    // The balance is read where the end is seen first; polls of queued jobs, and repeats, read nothing.
    if (answer !== undefined) context.creditsRemaining = ledgers.knownBalance(orgId)
    else {
      const waitMs = waitSecondsOf(request.headers.prefer, maxWaitSeconds) * 1000
      const seen =
        waitMs === 0
          ? await watch.see(question)
          : await whileOpen(response, closing, (signal) => watch.wait(question, waitMs, signal))
      if (seen === undefined) throw noSuchJob()
      answer = jobAnswerOf(jobId, seen, errors)
      if (seen.status !== 'queued') {
        ended.remember(question, answer)
        context.creditsRemaining = await ledgers.balanceWithin(orgId, BALANCE_WITHIN_MS)
      }
    }
    if (form !== undefined) answer = await ended.inForm(jobId, answer, form, () => watch.wordsOf(jobId))
    context.job = { jobId, traceId: answer.traceId }
    answerJob(answers, response, answer, request.headers['if-none-match'])
  }
