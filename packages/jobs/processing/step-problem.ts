import type { Step } from '#packages/domain/job/events.ts'
import type { StepProblem } from '#packages/domain/job/job.ts'
import { PaceError } from '#packages/foundation/errors/pace-error.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'

/** Steps that only read from outside. A failure there counts as the host's, even if the fault is ours. */
const readsOutside: readonly Step[] = ['fetch', 'caption']

/** The problem of an attempt that threw this error. */
export function problemOf(error: unknown, step: Step): StepProblem {
  const known = error instanceof StepError ? error : new StepError('internal_error', { transient: true, cause: error })
  const { code, customerMessage: message, transient, retryAfterSeconds, requests } = known
  const host = known.host ?? (readsOutside.includes(step) ? 'platform' : undefined)
  return { code, message, transient, retryAfterSeconds, host, requests, unasked: error instanceof PaceError }
}

/** Whether the step was only postponed, in time for its deadline, which is in `leftMs`. That is no failure. */
export const isForLater = (error: unknown, leftMs: number): error is PaceError =>
  error instanceof PaceError && error.retryAfterSeconds * 1000 < leftMs
