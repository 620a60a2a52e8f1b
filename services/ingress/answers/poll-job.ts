import type { Response } from 'express'
import type { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import type { WantedForm } from '#packages/content/results/read-result.ts'
import type { OnWait } from '#packages/foundation/concurrency/single-flight.ts'
import type { JobQuestion, JobWatch, SeenJob } from '#packages/jobs/status/job-watch.ts'
import { noSuchJob } from '#packages/jobs/status/no-such-job.ts'
import { contextOf } from '../requests/request-context.ts'
import { whileOpen } from '../requests/while-open.ts'
import type { EndedJobs } from './ended-jobs.ts'
import type { ErrorObjects } from './error-objects.ts'
import { hasEnded, type JobAnswer, jobAnswerOf } from './job-answer.ts'

/** `closing` ends waits. */
export type PollParts = {
  watch: JobWatch
  ended: EndedJobs
  ledgers: Ledgers
  errors: ErrorObjects
  closing: AbortSignal
}

/** `waitSeconds`: how long to wait for the end of the job. `form`: of a transcript; undefined for its Job object. */
export type Poll = { question: JobQuestion; waitSeconds: number; form: WantedForm | undefined }

/** How long an answer waits for the balance, milliseconds. The balance is an extra, so the wait is short. */
const BALANCE_WITHIN_MS = 250

/**
 * The answer to a poll of a job. Puts the job and the balance for the headers into the context.
 * @throws ServiceError not_found
 */
export async function pollJob(parts: PollParts, poll: Poll, response: Response): Promise<JobAnswer> {
  const { ended, ledgers } = parts
  const { jobId, orgId } = poll.question
  const context = contextOf(response)
  const known = ended.answer(poll.question)
  const answer = await answerTo(parts, poll, { known, response })
  context.job = { jobId, traceId: answer.traceId }
  // The balance is read when the end is first seen. Polls of queued jobs, and repeats, read nothing.
  if (known !== undefined) context.creditsRemaining = ledgers.knownBalance(orgId)
  else if (hasEnded(answer)) context.creditsRemaining = await ledgers.balanceWithin(orgId, BALANCE_WITHIN_MS)
  return answer
}

async function answerTo(
  parts: PollParts,
  { question, waitSeconds, form }: Poll,
  { known, response }: { known: JobAnswer | undefined; response: Response },
): Promise<JobAnswer> {
  if (known !== undefined && form === undefined) return known
  const { watch, ended, closing } = parts
  const waitMs = known === undefined ? waitSeconds * 1000 : 0
  const onWait: OnWait = (isWaiting) => contextOf(response).noteWait(isWaiting)
  const wait = () => whileOpen(response, closing, (signal) => watch.wait(question, waitMs, signal, onWait))
  if (form === undefined) return answerOf(parts, question, await (waitMs === 0 ? watch.see(question) : wait()))
  if (waitMs > 0) await wait()
  // Read only in its turn, so that few results are in memory, however many are asked for in another form.
  const json = async () => ended.answer(question) ?? answerOf(parts, question, await watch.see(question))
  const reads = { json, words: () => watch.wordsOf(question.jobId) }
  return whileOpen(response, closing, (signal) => ended.inForm(question, form, reads, signal))
}

/** The answer that shows a job as it was seen. It is cached if the job has ended. */
function answerOf(
  { ended, errors }: Pick<PollParts, 'ended' | 'errors'>,
  question: JobQuestion,
  seen: SeenJob | undefined,
): JobAnswer {
  if (seen === undefined) throw noSuchJob()
  const answer = jobAnswerOf(question.jobId, seen, errors)
  if (seen.status !== 'queued') ended.remember(question, answer)
  return answer
}
