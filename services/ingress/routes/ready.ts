import type { RequestHandler } from 'express'
import type { Answers } from '../answer.ts'
import type { Sources } from '../sources.ts'

/** GET /ready, for operators: who refuses us, and which accounts are spared. The service serves all the same. */
export const getReady =
  ({ sources, answers }: { sources: Sources; answers: Answers }): RequestHandler =>
  (_request, response) =>
    answers.json(response, 200, { status: 'ready', ...sources.standing() })
