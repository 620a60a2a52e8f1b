import type { Response } from 'express'
import type { Logger } from '#packages/telemetry/log.ts'
import type { ConcurrencyLimit } from '../limits/concurrency-limit.ts'
import { callerOf, contextOf } from '../requests/request-context.ts'
import { whileOpen } from '../requests/while-open.ts'
import type { Answers } from './answers.ts'

export type LastingParts = { concurrency: ConcurrencyLimit; answers: Answers; log: Logger; closing: AbortSignal }

/**
 * Gives an answer that is written bit by bit, until `write` returns, the caller leaves or the server closes. If `write`
 * throws, the connection is cut, so that the reader knows that the answer is incomplete.
 * @throws ServiceError rate_limited, unavailable: too many are open
 */
export async function lastingAnswer(
  { concurrency, answers, log, closing }: LastingParts,
  response: Response,
  write: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  // If the caller has left already, 'close' was emitted and will not be emitted again.
  if (response.closed) return
  const over = concurrency.begin(callerOf(response), 1)
  response.once('close', () => {
    over()
    answers.given(response)
  })
  try {
    await whileOpen(response, closing, write)
    response.end()
  } catch (error) {
    const { logged, route, orgId, job } = contextOf(response)
    if (!response.closed) log.warn({ err: error, ...logged, route, orgId, jobId: job?.jobId }, 'an answer broke off')
    response.destroy()
  }
}
