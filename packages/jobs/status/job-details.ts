import type { JobDetails, JobWait } from '#contracts/generated/http.ts'
import { RELEASED, type Step } from '#packages/domain/job/events.ts'
import { failureCodeOf } from '#packages/domain/job/failure.ts'
import { job as jobDecider, settlementOf } from '#packages/domain/job/job.ts'
import { nextStep } from '#packages/domain/job/next.ts'
import { deadlineOf, type EndedJob, type Job, type OpenJob } from '#packages/domain/job/state.ts'
import type { Used } from '#packages/domain/job/used.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import { platformOf } from '#packages/platforms/urls/platform-of.ts'
import { isoOf } from '#packages/ports/clock.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { traceIdOf } from '#packages/telemetry/traceparent.ts'
import type { ShownEvents } from './job-history.ts'
import { warningsOf } from './warnings.ts'

/** The moment at which a job is described, milliseconds since 1970. */
export type Moment = {
  jobId: string
  now: number
  /** Usage of the attempt at work so far. Undefined: unknown here. */
  used: Used | undefined
}

/** The part of the answer about the job's progress. */
type Standing = Pick<JobDetails, 'status' | 'state' | 'step' | 'attempt' | 'progress' | 'waitingFor' | 'error'>

/** Describes a job by its events. @param shown all of its events */
export function jobDetailsOf({ events, end }: ShownEvents, moment: Moment): JobDetails {
  const job = fold(jobDecider, events)
  const [first] = events
  if (first === undefined || job.status === 'none') throw new Error(`${moment.jobId} has no beginning`)
  const request = first.type === 'JobRequested' ? first.data : undefined
  const started = events.find(({ type }) => type === 'StepStarted')
  const text = events.findLast((event) => event.type === 'CaptionsRead' || event.type === 'SpeechTranscribed')
  return {
    jobId: moment.jobId,
    kind: kindOf(first),
    ...(job.status === 'open' ? openStanding(job, events, end, moment) : endedStanding(job)),
    url: request?.url ?? null,
    mode: request?.mode ?? null,
    credits: creditsOf(job, request?.budget ?? 0, end),
    reused: request?.reused ?? null,
    language: text?.data.language ?? null,
    warnings: warningsOf(events),
    traceId: traceIdOf(first.metadata.traceparent),
    createdAt: isoOf(first.recordedAt),
    startedAt: started === undefined ? null : isoOf(started.recordedAt),
    deadlineAt: first.type === 'JobRequested' ? isoOf(deadlineOf(first)) : null,
    endedAt: job.status === 'open' ? null : isoOf(job.endedAt),
  }
}

function kindOf(first: StoredEvent): JobDetails['kind'] {
  if (first.type === 'JobRequested' || first.type === 'JobFailed') return first.data.kind
  throw new Error(`${first.stream} begins with ${first.type}`)
}

const nothingAtWork = { step: null, attempt: null, progress: null, waitingFor: null }

function endedStanding(job: EndedJob): Standing {
  if (job.status === 'completed') return { status: 'completed', state: 'completed', ...nothingAtWork, error: null }
  const { code, message } = job
  const state = code === 'cancelled' ? 'cancelled' : 'failed'
  return { status: 'failed', state, ...nothingAtWork, error: { code: failureCodeOf(code), message } }
}

function openStanding(
  job: OpenJob,
  events: readonly StoredEvent[],
  end: ShownEvents['end'],
  { now, used }: Moment,
): Standing {
  const step = nextStep(job) ?? null
  if (end === 'settling' || step === null) return { status: 'queued', state: 'settling', ...nothingAtWork, error: null }
  const claim = job.claim !== undefined && now < job.claim.leaseEndsAt ? job.claim : undefined
  const attempt = claim?.attempt ?? (job.progress[step]?.starts ?? 0) + 1
  const at = { status: 'queued', step, attempt, error: null } as const
  if (claim === undefined)
    return { ...at, state: 'waiting', progress: null, waitingFor: waitOf(job, step, events, now) }
  return { ...at, state: 'working', progress: progressOf(step, events, used), waitingFor: null }
}

/** The reason for a job's wait if no worker has its step. */
function waitOf(job: OpenJob, step: Step, events: readonly StoredEvent[], now: number): JobWait {
  const failed = events.findLast((event) => event.type === 'StepFailed')
  const retryAt = job.progress[step]?.retryAt ?? 0
  if (failed === undefined || retryAt <= now) return { reason: 'worker', platform: null, until: null }
  const { code } = failed.data
  const reason = code === RELEASED ? 'pace' : code
  const request = events.find((event) => event.type === 'JobRequested')
  const platform =
    (reason === 'platform_blocked' || reason === 'pace') && request !== undefined ? platformOf(request.data.url) : null
  return { reason, platform, until: isoOf(retryAt) }
}

/** The transcribed part of the sound. */
function progressOf(step: Step, events: readonly StoredEvent[], used: Used | undefined): number | null {
  const seconds = events.findLast((event) => event.type === 'VideoFetched')?.data.durationSeconds ?? 0
  if (step !== 'speech-to-text' || used === undefined || seconds <= 0) return null
  return Math.min(1, Math.round((used.audioSeconds / seconds) * 1000) / 1000)
}

function creditsOf(job: Job, budget: number, end: ShownEvents['end']): JobDetails['credits'] {
  const settlement = end === 'settled' ? settlementOf(job) : undefined
  if (settlement === undefined) return { held: budget, charged: null }
  return { held: 0, charged: Math.min(settlement.charged, budget) }
}
