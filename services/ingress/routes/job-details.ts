import type { RequestHandler, Response } from 'express'
import type { AttemptsUnderWay } from '#packages/jobs/processing/attempts-under-way.ts'
import { cancelJob } from '#packages/jobs/status/cancel-job.ts'
import { jobDetailsOf } from '#packages/jobs/status/job-details.ts'
import type { JobHistory } from '#packages/jobs/status/job-history.ts'
import type { JobWatch } from '#packages/jobs/status/job-watch.ts'
import { noSuchJob } from '#packages/jobs/status/no-such-job.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import type { Ids } from '#packages/ports/ids.ts'
import type { Answers } from '../answers/answers.ts'
import type { IngressOptions } from '../options.ts'
import { callerOf, contextOf, followJob, pathParameter } from '../requests/request-context.ts'
import { whileOpen } from '../requests/while-open.ts'

type Parts = { history: JobHistory; attempts: AttemptsUnderWay; clock: Clock; answers: Answers }

type CancelParts = Parts & { store: EventStore; ids: Ids; watch: JobWatch; closing: AbortSignal }

/**
 * How long the answer waits for the settlement of a cancelled job, milliseconds. Until then the job is not shown as
 * ended.
 */
const SETTLED_WITHIN_MS = 3000

/** GET /v1/jobs/{jobId} */
export const getJobDetails =
  (parts: Parts): RequestHandler =>
  async (request, response) =>
    answerDetails(parts, response, pathParameter(request, 'jobId'))

/** DELETE /v1/jobs/{jobId}: cancels a job. An ended job is shown unchanged. */
export const deleteJob =
  (parts: CancelParts, options: Pick<IngressOptions, 'giveUpAfterMs'>): RequestHandler =>
  async (request, response) => {
    const jobId = pathParameter(request, 'jobId')
    const { orgId } = callerOf(response)
    const context = contextOf(response)
    const cancelled = await cancelJob(parts, { jobId, orgId, requestId: context.requestId }, options)
    if (cancelled === undefined) throw noSuchJob()
    followJob(context, { jobId, traceparent: cancelled.traceparent })
    const question = { jobId, orgId, kind: cancelled.kind }
    await whileOpen(response, parts.closing, (signal) => parts.watch.wait(question, SETTLED_WITHIN_MS, signal))
    await answerDetails(parts, response, jobId)
  }

async function answerDetails(
  { history, attempts, clock, answers }: Parts,
  response: Response,
  jobId: string,
): Promise<void> {
  const shown = await history.read({ jobId, orgId: callerOf(response).orgId })
  if (shown === undefined) throw noSuchJob()
  const details = jobDetailsOf(shown, { jobId, now: clock.now(), used: attempts.usedBy(jobId) })
  contextOf(response).job = { jobId, traceId: details.traceId }
  answers.json(response, 200, details)
}
