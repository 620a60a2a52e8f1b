import type { Step } from './events.ts'
import type { FailureCode } from './failure.ts'
import type { OpenJob } from './state.ts'

/** The least time before the deadline with which a step is begun, seconds. */
export const minimumSeconds: Record<Step, number> = { fetch: 0.2, caption: 0.2, 'speech-to-text': 0.5, extract: 1 }

/** After this many expired leases of one step the job fails: its input probably kills workers. */
export const MAX_EXPIRED_LEASES = 3

/**
 * After this many starts of one step without a result or an error, the job fails: its input may be what kills the
 * process. Releases count, except those that keep a pace. Ten restarts in a row, each before the step could end, may
 * still be chance.
 */
export const MAX_ENDLESS_STARTS = 20

/** The event that an open job waits for. Instants are milliseconds since 1970. */
export type Next =
  | { type: 'step'; step: Step; attempt: number }
  /** Nothing is due before `until`. */
  | { type: 'wait'; until: number }
  | { type: 'fail'; code: FailureCode }

/** The step that is due, whether it is claimed or not. Undefined if all results are there. */
export function nextStep(job: OpenJob): Step | undefined {
  if (!job.fetched) return 'fetch'
  const asksForSpeech = job.kind === 'transcript' && job.mode === 'generate'
  if (!asksForSpeech && job.captions === 'unread') return 'caption'
  const hasText = job.captions === 'read' || job.transcribed
  if (!hasText) return 'speech-to-text'
  if (job.kind === 'extraction' && !job.extracted) return 'extract'
  return undefined
}

/** The next action for an open job at the instant `now`. */
export function next(job: OpenJob, now: number): Next {
  if (now >= job.deadlineAt) return { type: 'fail', code: 'timeout' }
  const step = nextStep(job)
  if (step === undefined) return { type: 'wait', until: job.deadlineAt }
  const progress = job.progress[step]
  if (job.claim !== undefined && now < job.claim.leaseEndsAt) {
    return { type: 'wait', until: Math.min(job.claim.leaseEndsAt, job.deadlineAt) }
  }
  const over = job.claim === undefined ? 0 : 1
  if (progress !== undefined && progress.expiredLeases + over >= MAX_EXPIRED_LEASES)
    return { type: 'fail', code: 'internal_error' }
  if (progress !== undefined && progress.endless + over >= MAX_ENDLESS_STARTS)
    return { type: 'fail', code: 'internal_error' }
  if (progress !== undefined && now < progress.retryAt)
    return { type: 'wait', until: Math.min(progress.retryAt, job.deadlineAt) }
  if (job.deadlineAt - now < minimumSeconds[step] * 1000) return { type: 'wait', until: job.deadlineAt }
  return { type: 'step', step, attempt: (progress?.starts ?? 0) + 1 }
}
