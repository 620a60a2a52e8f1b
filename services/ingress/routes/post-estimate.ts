import type { RequestHandler } from 'express'
import type { Estimates } from '#packages/jobs/acceptance/estimates.ts'
import type { LoopMonitor } from '#packages/telemetry/loop-monitor.ts'
import type { Answers } from '../answers/answers.ts'
import { readJsonBody } from '../requests/read-json-body.ts'
import { askerOf, callerOf, contextOf } from '../requests/request-context.ts'

type Parts = { estimates: Estimates; answers: Answers; loop: LoopMonitor }

/** POST /v1/estimate */
export const postEstimate =
  ({ estimates, answers, loop }: Parts, { maxBodyBytes }: { maxBodyBytes: number }): RequestHandler =>
  async (request, response) => {
    const body = await readJsonBody(request, maxBodyBytes)
    loop.note(contextOf(response))
    const asking = { ...callerOf(response), ...askerOf(response) }
    answers.json(response, 200, await estimates.estimate(body, asking))
  }
