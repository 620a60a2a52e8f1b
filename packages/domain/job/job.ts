import type { EventData } from '#contracts/generated/events.ts'
import type { Decider } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import {
  type JobEvent,
  type JobKind,
  type JobOptions,
  jobEventTypes,
  RELEASED,
  type ReadFrom,
  type Step,
  type StepResult,
} from './events.ts'
import { type FailureCode, failures, isFailureCode } from './failure.ts'
import { next, nextStep } from './next.ts'
import { chargeOf } from './price.ts'
import { delayOf, type Host, lastTryOf } from './retry.ts'
import { evolve, initialJob, type Job, type OpenJob } from './state.ts'
import { unpaidOf } from './unpaid.ts'
import type { Used } from './used.ts'

/** How an attempt of a step ended without a result. */
export type StepProblem = {
  code: FailureCode
  message: string
  transient: boolean
  /** The earliest time at which another attempt makes sense, in seconds from now. */
  retryAfterSeconds: number | undefined
  /** The outside host that failed; undefined if the failure is our own, or the host is unknown. */
  host?: Host | undefined
  /** Requests that the attempt made to that host, including redirects; undefined: one, or not counted. */
  requests?: number | undefined
  /** The host was not asked, in order to keep its pace. So its answer is unknown. */
  unasked?: boolean | undefined
  /** The paid services that the attempt has used. Undefined: unknown. */
  used?: Used | undefined
  /** The source that the attempt read last. Undefined: it has read nothing outside. */
  readFrom?: ReadFrom | undefined
}

/** The commands of a job; {@link job} names their senders. `now`: the time of the decision, milliseconds since 1970. */
export type JobCommand =
  /** `results`: those that this job copies from an earlier job. Missing: it makes its own. */
  | { type: 'request'; request: EventData['JobRequested']; results?: readonly StepResult[] }
  | { type: 'refuse'; orgId: string; kind: JobKind; debitedAt: number; now: number }
  | { type: 'start'; step: Step; attempt: number; worker: string; leaseSeconds: number }
  | { type: 'extend'; leaseSeconds: number }
  | { type: 'record-result'; result: StepResult; now: number }
  /** `chance`: a number in [0, 1), for the jitter of the next attempt. */
  | { type: 'report-problem'; step: Step; problem: StepProblem; now: number; chance: number }
  | { type: 'discard-result'; used: Used; readFrom?: ReadFrom | undefined }
  | { type: 'cancel' }
  /** `afterSeconds`: the time until the step is due again. Missing: it is due at once. */
  | { type: 'release'; afterSeconds?: number; readFrom?: ReadFrom | undefined }
  | { type: 'give-up'; now: number }

/** A debit without a job is refunded after this time, milliseconds. */
export const NOT_ACCEPTED_AFTER_MS = 15_000

/**
 * A job, from the request for a transcript or an extraction to its end.
 *
 * The stream of a job lies between two events of its organization's credits. CreditsDebited comes first: acceptance
 * takes the credits, and then requests the job. CreditsSettled comes last: once the job has ended, the orchestrator
 * settles the debit as {@link settlementOf} says. In between, each command has its sender:
 *
 * - `request`, from acceptance, right after the debit: JobRequested. If the job reuses a result, the same append also
 *   has a copy of it and JobCompleted.
 * - `refuse`, from the orchestrator, for a debit without a JobRequested after 15 s: JobFailed `not_accepted`.
 * - `start`, from a worker that has received the task of a step: StepStarted, its claim, which holds for one lease.
 * - `extend`, from that worker, for as long as it works: LeaseExtended.
 * - `record-result`, from that worker: VideoFetched, CaptionsRead, CaptionsUnavailable, SpeechTranscribed or
 *   ExtractionProduced. JobCompleted follows the last result. JobFailed follows CaptionsUnavailable, unless
 *   speech-to-text replaces the captions.
 * - `report-problem`, from that worker: StepFailed if another attempt follows. Otherwise a result with which the job
 *   can continue, such as CaptionsUnavailable, or JobFailed with the code of the problem.
 * - `discard-result`, from that worker, if the store refuses the result for its size: JobFailed `result_too_large`.
 * - `cancel`, from the owner, at any time before the end: JobFailed `cancelled`.
 * - `release`: StepFailed `released`. That worker sends it when its process stops, or to wait for the pace of a
 *   platform. The orchestrator sends it for a worker that is gone.
 * - `give-up`, from the orchestrator: JobFailed `timeout` at the deadline, or `internal_error` if a step has been
 *   started too often without an end.
 *
 * Steps come one after another: `fetch`, then `caption` and `speech-to-text` as the mode asks and the video allows,
 * then `extract` for an extraction. {@link next} decides which is due. The orchestrator sends it to a worker as a task,
 * with the revision of the stream at which the step was due. A worker's append is stored right after the revision that
 * it knows, or refused. So if two workers, the deadline or a cancelling owner compete, one append wins and the others
 * are refused.
 *
 * `not_accepted` means that the process that took the credits died, or lost the store, before it could append
 * JobRequested. JobRequested and this JobFailed are each stored only in an empty stream, so a stream never has both.
 * The debit is refunded, as for every failure.
 */
export const job: Decider<Job, JobCommand, JobEvent> = {
  eventTypes: jobEventTypes,
  initialState: initialJob,
  evolve,
  decide(command, state) {
    if (state.status === 'completed' || state.status === 'failed') return []
    if (state.status === 'none') return begin(command)
    return moveOn(command, state)
  },
}

/** How to settle the debit of an ended job; undefined while the job is open. */
export function settlementOf(job: Job): { charged: number; reason: string } | undefined {
  if (job.status === 'completed') return { charged: job.credits, reason: 'completed' }
  if (job.status === 'failed') return { charged: 0, reason: job.code }
  return undefined
}

/** Decides commands from a sender that has not read the stream, or expects it to be empty. */
function begin(command: JobCommand): JobEvent[] {
  switch (command.type) {
    case 'request':
      return [{ type: 'JobRequested', data: command.request }, ...endAtOnce(command)]
    case 'refuse':
      if (command.now < command.debitedAt + NOT_ACCEPTED_AFTER_MS) return []
      return [{ type: 'JobFailed', data: failureOf(command, 'not_accepted') }]
    case 'start':
      return [stepStarted(command)]
    default:
      return []
  }
}

/** A job that reuses a result has all of it from the beginning, and costs nothing. */
function endAtOnce({ request: { orgId, kind }, results }: JobCommand & { type: 'request' }): JobEvent[] {
  return results === undefined ? [] : [...results, { type: 'JobCompleted', data: { orgId, kind, credits: 0 } }]
}

function moveOn(command: JobCommand, job: OpenJob): JobEvent[] {
  switch (command.type) {
    case 'start':
      return [stepStarted(command)]
    case 'extend':
      return extend(job, command.leaseSeconds)
    case 'record-result':
      return recordResult(job, command.result, command.now)
    case 'report-problem':
      return reportProblem(job, command)
    case 'discard-result':
      return [jobFailed(job, 'result_too_large', command)]
    case 'cancel':
      return [jobFailed(job, 'cancelled')]
    case 'release':
      return release(job, command)
    case 'give-up':
      return giveUp(job, command.now)
    default:
      return []
  }
}

/**
 * A worker starts without reading the job first: the step was due when its task was issued. StepStarted is appended at
 * the task's revision. If the step is no longer due, the append is refused.
 */
function stepStarted({ step, attempt, worker, leaseSeconds }: JobCommand & { type: 'start' }): JobEvent {
  return { type: 'StepStarted', data: { step, attempt, worker, leaseSeconds } }
}

function extend({ claim }: OpenJob, leaseSeconds: number): JobEvent[] {
  if (claim === undefined) return []
  const { step, attempt } = claim
  return [{ type: 'LeaseExtended', data: { step, attempt, leaseSeconds } }]
}

/** Records the result of a step, and the end of the job if this step is the last. */
function recordResult(job: OpenJob, result: StepResult, now: number): JobEvent[] {
  const after = evolve(job, { ...result, recordedAt: now })
  if (after.status !== 'open') return [result]
  return [result, ...endOf(after, result)]
}

function endOf(job: OpenJob, result: StepResult): JobEvent[] {
  const step = nextStep(job)
  if (step === undefined) {
    return [{ type: 'JobCompleted', data: { orgId: job.orgId, kind: job.kind, credits: chargeOf(job) } }]
  }
  if (result.type !== 'CaptionsUnavailable') return []
  const reason = isFailureCode(result.data.reason) ? result.data.reason : 'captions_unavailable'
  const message = reason === 'captions_unavailable' ? captionsMissing(job.options) : failures[reason].message
  if (job.mode === 'native' || failures[reason].isAboutTheVideo) return [jobFailed(job, reason, { message })]
  return job.budget < job.prices.speech ? [speechNotPaid(job, reason)] : []
}

/**
 * Ends a job without captions and without credits for speech. If captions exist but could not be read, the cause is not
 * a lack of credits.
 */
function speechNotPaid(job: OpenJob, reason: FailureCode): JobEvent {
  if (reason === 'captions_unavailable') return jobFailed(job, 'insufficient_credits')
  const message = `The captions could not be read, and too few credits are left for speech-to-text. ${failures[reason].message}`
  return jobFailed(job, reason, { message })
}

/** The message of `captions_unavailable`. */
export const captionsMissing = ({ strictLang }: Pick<JobOptions, 'strictLang'>): string =>
  strictLang ? 'The video has no captions in the requested language.' : failures.captions_unavailable.message

/** An extraction of a video without speech continues with an empty transcript: the pictures are left. */
const nothingSaid = ({ used, readFrom }: StepProblem): DomainEvent<'SpeechTranscribed'> => ({
  type: 'SpeechTranscribed',
  data: {
    language: null,
    source: 'speech',
    engine: 'none',
    model: null,
    audioSeconds: used?.audioSeconds ?? null,
    segments: [],
    ...(readFrom && { readFrom }),
  },
})

/** Records that an attempt ended without a result. The step is retried or skipped, or the job fails. */
function reportProblem(job: OpenJob, command: JobCommand & { type: 'report-problem' }): JobEvent[] {
  const { step, problem, now, chance } = command
  const { code, unasked = false, used = null, readFrom } = problem
  if (job.claim?.step !== step) return []
  if (job.options.failFast && code === 'platform_blocked') return [jobFailed(job, code, problem)]
  // Captions may exist that were not asked for. Speech-to-text must not be charged in their place.
  const dispensable = step === 'caption' && job.mode !== 'native' && !unasked && !failures[code].isAboutTheVideo
  const failed = { step, host: problem.host, requests: problem.requests, dispensable }
  const delaySeconds = Math.max(delayOf(job, failed, chance), problem.retryAfterSeconds ?? 0)
  const lastTry = lastTryOf(job, failed)
  if (problem.transient && lastTry !== undefined && now + delaySeconds * 1000 <= lastTry) {
    const { attempt } = job.claim
    const data = { step, attempt, code, retryAfterSeconds: delaySeconds, used, ...(readFrom && { readFrom }) }
    return [{ type: 'StepFailed', data }]
  }
  if (dispensable) {
    const data = { reason: code, ...(readFrom && { readFrom }) }
    return recordResult(job, { type: 'CaptionsUnavailable', data }, now)
  }
  const saysNothing = step === 'speech-to-text' && code === 'no_speech'
  if (job.kind === 'extraction' && saysNothing) return recordResult(job, nothingSaid(problem), now)
  return [jobFailed(job, code, problem)]
}

/** Releases the claim: its step is due again after the given time. */
function release({ claim }: OpenJob, { afterSeconds = 0, readFrom }: JobCommand & { type: 'release' }): JobEvent[] {
  if (claim === undefined) return []
  const { step, attempt } = claim
  const data = { step, attempt, code: RELEASED, retryAfterSeconds: afterSeconds, used: null }
  return [{ type: 'StepFailed', data: { ...data, ...(readFrom && { readFrom }) } }]
}

function giveUp(job: OpenJob, now: number): JobEvent[] {
  const due = next(job, now)
  return due.type === 'fail' ? [jobFailed(job, due.code)] : []
}

/** The facts about the attempt that ends a job. Empty if no attempt ends it. */
type EndingAttempt = Partial<Pick<StepProblem, 'message' | 'used' | 'readFrom'>>

/** Ends a job without a result. The debit is refunded in full. */
function jobFailed(
  job: OpenJob,
  code: FailureCode,
  { message = failures[code].message, used, readFrom }: EndingAttempt = {},
): DomainEvent<'JobFailed'> {
  const unpaid = unpaidOf(job, code, used ?? null)
  const end = { ...failureOf(job, code), message, used: used ?? null }
  return { type: 'JobFailed', data: { ...end, ...(unpaid && { unpaid }), ...(readFrom && { readFrom }) } }
}

const failureOf = ({ orgId, kind }: Pick<OpenJob, 'orgId' | 'kind'>, code: FailureCode) => ({
  orgId,
  kind,
  code,
  message: failures[code].message,
  used: null,
})
