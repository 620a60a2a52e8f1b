import type { RequestHandler } from 'express'
import type { DeletedContent } from '#contracts/generated/http.ts'
import type { JobToForget } from '#packages/history/removal/forget-job.ts'
import { type Clock, isoOf } from '#packages/ports/clock.ts'
import type { Answers } from '../answers/answers.ts'
import { callerOf, contextOf, pathParameter } from '../requests/request-context.ts'

type Parts = { forget(job: JobToForget): Promise<void>; clock: Clock; answers: Answers }

/** DELETE /v1/jobs/{jobId}/content */
export const deleteJobContent =
  ({ forget, clock, answers }: Parts): RequestHandler =>
  async (request, response) => {
    const jobId = pathParameter(request, 'jobId')
    await forget({ jobId, orgId: callerOf(response).orgId, cause: contextOf(response).requestId })
    answers.json(response, 200, { jobId, deletedAt: isoOf(clock.now()) } satisfies DeletedContent)
  }
