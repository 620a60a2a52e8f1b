import type { EventData } from '#contracts/generated/events.ts'
import type { Recorded } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { type JobEvent, type JobKind, type JobOptions, type Lane, RELEASED, type Step } from './events.ts'
import type { Prices } from './price.ts'
import { nothingUsedYet, sumOfUsed, type Used } from './used.ts'

/** A worker's hold on a step. Times are milliseconds since 1970. */
export type Claim = { step: Step; attempt: number; worker: string; leaseEndsAt: number }

export type StepProgress = {
  /** How often the step was started. */
  starts: number
  /** Starts that were released to keep the pace of a platform: no request was sent. */
  paced: number
  /** Other starts without a result or an error: their lease ran out, or they were released. */
  endless: number
  /** Starts with an expired lease that another start displaced. */
  expiredLeases: number
  /** The time of the first start, or of the end of the last wait for the pace of a platform. */
  firstStartedAt: number
  /** Not due before this instant. */
  retryAt: number
}

export type OpenJob = {
  status: 'open'
  orgId: string
  kind: JobKind
  mode: EventData['JobRequested']['mode']
  options: Omit<JobOptions, 'vocabulary'>
  lane: Lane
  budget: number
  prices: Prices
  windowSeconds: number
  requestedAt: number
  /** The job times out at this instant. */
  deadlineAt: number
  fetched: boolean
  captions: 'unread' | 'read' | 'unavailable'
  transcribed: boolean
  extracted: boolean
  /** The paid services that results and failed attempts have used. */
  used: Used
  claim: Claim | undefined
  progress: Partial<Record<Step, StepProgress>>
}

export type EndedJob =
  | { status: 'completed'; endedAt: number; credits: number }
  | { status: 'failed'; endedAt: number; code: string; message: string }

/** One job, folded from its stream. It stores only that results exist, because thousands of jobs stay in memory. */
export type Job = { status: 'none' } | OpenJob | EndedJob

export const initialJob: Job = { status: 'none' }

/** The job after one more event. A repeated event, or one after the end, changes nothing. */
export function evolve(job: Job, event: Recorded<JobEvent>): Job {
  if (job.status === 'completed' || job.status === 'failed') return job
  const endedAt = event.recordedAt
  if (event.type === 'JobFailed') {
    return { status: 'failed', endedAt, code: event.data.code, message: event.data.message }
  }
  if (job.status === 'none') return event.type === 'JobRequested' ? requested(event) : job
  if (event.type === 'JobCompleted') return { status: 'completed', endedAt, credits: event.data.credits }
  return progressed(job, event)
}

/** When a job times out, milliseconds since 1970. */
export const deadlineOf = ({ data, recordedAt }: Recorded<DomainEvent<'JobRequested'>>): number =>
  recordedAt + data.windowSeconds * 1000

function requested(event: Recorded<DomainEvent<'JobRequested'>>): OpenJob {
  const { orgId, kind, mode, lane, budget, prices, windowSeconds } = event.data
  const { vocabulary: _, ...options } = event.data.options
  return {
    status: 'open',
    orgId,
    kind,
    mode,
    options,
    lane,
    budget,
    prices,
    windowSeconds,
    requestedAt: event.recordedAt,
    deadlineAt: deadlineOf(event),
    fetched: false,
    captions: 'unread',
    transcribed: false,
    extracted: false,
    used: nothingUsedYet(),
    claim: undefined,
    progress: {},
  }
}

function progressed(job: OpenJob, event: Recorded<JobEvent>): OpenJob {
  switch (event.type) {
    case 'StepStarted':
      return started(job, event)
    case 'LeaseExtended':
      return extended(job, event)
    case 'StepFailed':
      return failed(job, event)
    case 'VideoFetched':
      return job.fetched ? job : { ...job, fetched: true, claim: undefined }
    case 'CaptionsRead':
      return job.captions !== 'unread' ? job : { ...job, captions: 'read', claim: undefined }
    case 'CaptionsUnavailable':
      return job.captions !== 'unread' ? job : { ...job, captions: 'unavailable', claim: undefined }
    case 'SpeechTranscribed':
      return job.transcribed ? job : { ...using(job, usedFor(event.data)), transcribed: true, claim: undefined }
    case 'ExtractionProduced':
      return job.extracted ? job : { ...using(job, event.data), extracted: true, claim: undefined }
    default:
      return job
  }
}

/** The paid services that a transcript has used: none if it was reused. */
const usedFor = ({ reused, audioSeconds }: EventData['SpeechTranscribed']) => (reused ? {} : { audioSeconds })

/** The job, with the use of one more attempt added. Missing values count as nothing. */
function using(
  job: OpenJob,
  { tokens, audioSeconds }: { tokens?: Used['tokens']; audioSeconds?: number | null },
): OpenJob {
  const used = { tokens: tokens ?? nothingUsedYet().tokens, audioSeconds: audioSeconds ?? 0 }
  return { ...job, used: sumOfUsed(job.used, used) }
}

const holds = (job: OpenJob, { step, attempt }: { step: Step; attempt: number }): job is OpenJob & { claim: Claim } =>
  job.claim?.step === step && job.claim.attempt === attempt

function started(job: OpenJob, { data, recordedAt }: Recorded<DomainEvent<'StepStarted'>>): OpenJob {
  const { step, attempt, worker, leaseSeconds } = data
  const before = job.progress[step]
  if (attempt <= (before?.starts ?? 0)) return job
  const displaced = job.claim?.step === step ? 1 : 0
  const progress: StepProgress = {
    starts: attempt,
    paced: before?.paced ?? 0,
    endless: (before?.endless ?? 0) + displaced,
    expiredLeases: (before?.expiredLeases ?? 0) + displaced,
    firstStartedAt: before?.firstStartedAt ?? recordedAt,
    retryAt: 0,
  }
  const claim: Claim = { step, attempt, worker, leaseEndsAt: recordedAt + leaseSeconds * 1000 }
  return { ...job, claim, progress: { ...job.progress, [step]: progress } }
}

function extended(job: OpenJob, { data, recordedAt }: Recorded<DomainEvent<'LeaseExtended'>>): OpenJob {
  if (!holds(job, data)) return job
  const leaseEndsAt = Math.max(job.claim.leaseEndsAt, recordedAt + data.leaseSeconds * 1000)
  return { ...job, claim: { ...job.claim, leaseEndsAt } }
}

function failed(job: OpenJob, { data, recordedAt }: Recorded<DomainEvent<'StepFailed'>>): OpenJob {
  const before = job.progress[data.step]
  if (!holds(job, data) || before === undefined) return job
  const retryAt = recordedAt + data.retryAfterSeconds * 1000
  const progress: StepProgress = { ...before, ...changedBy(data, before, retryAt), retryAt }
  return { ...using(job, data.used ?? {}), claim: undefined, progress: { ...job.progress, [data.step]: progress } }
}

function changedBy(
  { code, retryAfterSeconds }: EventData['StepFailed'],
  { paced, endless }: StepProgress,
  retryAt: number,
): Partial<StepProgress> {
  if (code !== RELEASED) return {}
  return retryAfterSeconds > 0 ? { paced: paced + 1, firstStartedAt: retryAt } : { endless: endless + 1 }
}
