import type { RequestHandler, Response } from 'express'
import type { JobKind } from '#packages/domain/job/events.ts'
import type { Answers } from '../answers/answers.ts'
import { hasEnded, type JobAnswer } from '../answers/job-answer.ts'
import { type PollParts, pollJob } from '../answers/poll-job.ts'
import { contextOf, orgOf, pathParameter } from '../requests/request-context.ts'
import { waitSecondsOf } from '../requests/wait-preference.ts'
import { wantedFormOf } from '../requests/wanted-form.ts'

/** True if an If-None-Match names this tag (weak comparison, RFC 9110). */
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

type Parts = PollParts & { answers: Answers }

/** GET /v1/transcript/{jobId}. `format` or `Accept` may ask for another form than JSON. */
export const getJob =
  (parts: Parts, { kind, maxWaitSeconds }: { kind: JobKind; maxWaitSeconds: number }): RequestHandler =>
  async (request, response) => {
    const question = { jobId: pathParameter(request, 'jobId'), orgId: orgOf(response), kind }
    const form = wantedFormOf(request, kind)
    const waitSeconds = waitSecondsOf(request.headers.prefer, maxWaitSeconds)
    const answer = await pollJob(parts, { question, waitSeconds, form }, response)
    contextOf(response).isEarlyPoll = !hasEnded(answer)
    answerJob(parts.answers, response, answer, request.headers['if-none-match'])
  }
