import type { RequestListener } from 'node:http'
import type { RequestHandler } from 'express'
import type { Answers } from '../answer.ts'
import { visitOf } from '../visit.ts'

/** Hands a request to the surface of another service, which answers whatever comes. It still has an id and its line in the log. */
export const handTo =
  ({ answers }: { answers: Answers }, listener: RequestListener): RequestHandler =>
  (request, response) => {
    response.setHeader('X-Request-Id', visitOf(response).requestId)
    response.setHeader('Cache-Control', 'no-store')
    response.once('close', () => answers.given(response))
    listener(request, response)
  }
