import { costs } from '../credits/costs.ts'
import type { DomainEvent } from '../event.ts'
import { type FailureCode, failures, isAboutTheVideo } from './failure.ts'
import { nextStep } from './next.ts'
import { delayOf, type Host, lastTryOf } from './retry.ts'
import { evolve, type Job, type JobEvent, type OpenJob, RELEASED, type Step } from './state.ts'
import type { Used } from './used.ts'

/** The result of a step, to be recorded. */
export type StepResult = DomainEvent<
  'VideoFetched' | 'CaptionsRead' | 'CaptionsUnavailable' | 'SpeechTranscribed' | 'ExtractionProduced'
>

/** How an attempt of a step ended without a result. */
export type StepProblem = {
  code: FailureCode
  message: string
  transient: boolean
  /** The earliest sensible time of another attempt, seconds from now. */
  retryAfterSeconds: number | undefined
  /** The host outside that failed; undefined where what failed is ours, or not known. */
  host?: Host | undefined
  /** Requests that the attempt has made of that host, redirects among them; undefined: one, or not counted. */
  requests?: number | undefined
  /** What the attempt has used; undefined: not known. */
  used?: Used | undefined
}

/**
 * Ends a job without a result. The debit is refunded in full.
 * @param used by the attempt that ends it; null: not known, or no attempt ends it
 */
export const jobFailed = (
  { orgId, kind }: Pick<OpenJob, 'orgId' | 'kind'>,
  code: FailureCode,
  message: string = failures[code],
  used: Used | null = null,
): DomainEvent<'JobFailed'> => ({ type: 'JobFailed', data: { orgId, kind, code, message, used } })

/** What a completed job costs, in credits. */
function creditsOf(job: OpenJob): number {
  if (job.kind === 'extraction') return costs.extraction
  return job.transcribed ? costs.generate : costs.native
}

/** The events that record a step's result, with the end of the job where this is it. */
export function decideResult(job: Job, result: StepResult, now: number): JobEvent[] {
  if (job.status !== 'open') return []
  const after = evolve(job, { ...result, recordedAt: now })
  if (after.status !== 'open') return [result]
  return [result, ...endOf(after, result)]
}

function endOf(job: OpenJob, result: StepResult): JobEvent[] {
  const step = nextStep(job)
  if (step === undefined) {
    return [{ type: 'JobCompleted', data: { orgId: job.orgId, kind: job.kind, credits: creditsOf(job) } }]
  }
  if (result.type !== 'CaptionsUnavailable') return []
  const { reason } = result.data
  if (job.mode === 'native' || isAboutTheVideo(reason)) return [jobFailed(job, failureCodeOf(reason))]
  if (job.kind === 'transcript' && job.budget < costs.generate) return [jobFailed(job, 'insufficient_credits')]
  return []
}

const failureCodeOf = (reason: string): FailureCode =>
  Object.hasOwn(failures, reason) ? (reason as FailureCode) : 'captions_unavailable'

/** A video in which nobody speaks still shows something: an extraction goes on with an empty transcript. */
const nothingSaid = (audioSeconds: number | null): DomainEvent<'SpeechTranscribed'> => ({
  type: 'SpeechTranscribed',
  data: { language: null, source: 'speech', engine: 'none', model: null, audioSeconds, segments: [] },
})

/**
 * The events that record that an attempt of `step` ended without a result.
 * @param chance a number in [0, 1), for jitter
 */
export function decideProblem(job: Job, step: Step, problem: StepProblem, now: number, chance: number): JobEvent[] {
  if (job.status !== 'open' || job.claim?.step !== step) return []
  const dispensable = step === 'caption' && job.mode !== 'native' && !isAboutTheVideo(problem.code)
  const failed = { step, host: problem.host, requests: problem.requests, dispensable }
  const delaySeconds = Math.max(delayOf(job, failed, chance), problem.retryAfterSeconds ?? 0)
  const lastTry = lastTryOf(job, failed)
  const { used = null } = problem
  if (problem.transient && lastTry !== undefined && now + delaySeconds * 1000 <= lastTry) {
    const { attempt } = job.claim
    return [{ type: 'StepFailed', data: { step, attempt, code: problem.code, retryAfterSeconds: delaySeconds, used } }]
  }
  if (dispensable) return decideResult(job, { type: 'CaptionsUnavailable', data: { reason: problem.code } }, now)
  const saysNothing = step === 'speech-to-text' && problem.code === 'no_speech'
  if (job.kind === 'extraction' && saysNothing) return decideResult(job, nothingSaid(used?.audioSeconds ?? null), now)
  return [jobFailed(job, problem.code, problem.message, used)]
}

/** The event by which the claim at work is given back, to be taken up again at once; none where there is no claim. */
export function decideRelease(job: Job): JobEvent[] {
  if (job.status !== 'open' || job.claim === undefined) return []
  const { step, attempt } = job.claim
  return [{ type: 'StepFailed', data: { step, attempt, code: RELEASED, retryAfterSeconds: 0, used: null } }]
}

/** How the debit of an ended job is settled. */
export function settlementOf(job: Job): { charged: number; reason: string } | undefined {
  if (job.status === 'completed') return { charged: job.credits, reason: 'completed' }
  if (job.status === 'failed') return { charged: 0, reason: job.code }
  return undefined
}
