import type { RequestHandler, Response } from 'express'
import type { JobQuestion, JobWatch, SeenJob } from '#packages/jobs/job-watch.ts'
import { noSuchJob } from '#packages/jobs/no-such-job.ts'
import type { Ledgers } from '#packages/ledger/ledgers.ts'
import type { JobDocument } from '#packages/views/jobs.ts'
import type { Answers } from '../answers/answers.ts'
import type { EndedJobs } from '../answers/ended-jobs.ts'
import type { ErrorObjects } from '../answers/error-objects.ts'
import { hasEnded, type JobAnswer, jobAnswerOf } from '../answers/job-answer.ts'
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

type Options = { kind: JobDocument['kind']; maxWaitSeconds: number; closing: AbortSignal }

/** GET /v1/transcript/{jobId}; `closing` ends the waits of `Prefer: wait`. `Accept` may ask for another form than JSON. */
export const getJob =
  (parts: Parts, { kind, maxWaitSeconds, closing }: Options): RequestHandler =>
  async (request, response) => {
    const { watch, ended, ledgers, answers } = parts
    const jobId = pathParameter(request, 'jobId')
    const { orgId } = callerOf(response)
    const question = { jobId, orgId, kind }
    const context = contextOf(response)
    const form = kind === 'transcript' ? transcriptFormOf(request.headers) : undefined
    const known = ended.answer(question)
    const waitMs = known === undefined ? waitSecondsOf(request.headers.prefer, maxWaitSeconds) * 1000 : 0
    const wait = () => whileOpen(response, closing, (signal) => watch.wait(question, waitMs, signal))
    let answer: JobAnswer
    if (form === undefined)
      answer = known ?? answerOf(parts, question, await (waitMs === 0 ? watch.see(question) : wait()))
    else {
      if (waitMs > 0) await wait()
      // Read in its turn: however many are asked for in another form, a few are in memory.
      const json = async () => ended.answer(question) ?? answerOf(parts, question, await watch.see(question))
      const reads = { json, words: () => watch.wordsOf(jobId) }
      answer = await whileOpen(response, closing, (signal) => ended.inForm(question, form, reads, signal))
    }
    context.job = { jobId, traceId: answer.traceId }
    // The balance is read where the end is seen first; polls of queued jobs, and repeats, read nothing.
    if (known !== undefined) context.creditsRemaining = ledgers.knownBalance(orgId)
    else if (hasEnded(answer)) context.creditsRemaining = await ledgers.balanceWithin(orgId, BALANCE_WITHIN_MS)
    answerJob(answers, response, answer, request.headers['if-none-match'])
  }

/** The answer that shows a job as it was seen; it is remembered where the job has ended. */
function answerOf({ ended, errors }: Parts, question: JobQuestion, seen: SeenJob | undefined): JobAnswer {
  if (seen === undefined) throw noSuchJob()
  const answer = jobAnswerOf(question.jobId, seen, errors)
  if (seen.status !== 'queued') ended.remember(question, answer)
  return answer
}
