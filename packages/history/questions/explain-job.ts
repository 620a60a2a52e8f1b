import { failureCodeOf, failures } from '#packages/domain/job/failure.ts'
import { job as jobDecider } from '#packages/domain/job/job.ts'
import { MAX_ENDLESS_STARTS, MAX_EXPIRED_LEASES, nextStep } from '#packages/domain/job/next.ts'
import { MAX_HOST_ATTEMPTS } from '#packages/domain/job/retry.ts'
import type { EndedJob, Job, OpenJob } from '#packages/domain/job/state.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { isoOf } from '#packages/ports/clock.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import {
  type Attempt,
  attemptsOf,
  isLost,
  type NobodyRan,
  type TimeSpent,
  timeSpent,
  waitedForLease,
} from './attempts.ts'
import { type CreditsOfJob, creditsOfJob, creditsSentences } from './credits-of-job.ts'
import type { JobRecord } from './job-record.ts'
import { secondsText } from './seconds-text.ts'

/** How a job reached its end or its present state: as figures, and as sentences for people. */
export type Explanation = {
  jobId: string
  orgId: string
  status: Job['status']
  /** The code of the failure; null if the job has not failed. */
  code: string | null
  attempts: readonly Attempt[]
  /** Milliseconds. */
  spent: TimeSpent
  credits: CreditsOfJob
  /** May contain text of strangers. */
  sentences: readonly string[]
}

/**
 * @param now milliseconds since 1970
 * @param nobodyRan if missing, a worker was always running
 */
export function explainJob({ jobId, orgId, events }: JobRecord, now: number, nobodyRan?: NobodyRan): Explanation {
  const own = events.filter(({ stream }) => stream.startsWith('job-'))
  const job = fold(jobDecider, own)
  const from = own[0]?.recordedAt ?? now
  const until = job.status === 'completed' || job.status === 'failed' ? job.endedAt : now
  const attempts = attemptsOf(own, until)
  const spent = timeSpent(attempts, from, until, nobodyRan)
  const credits = creditsOfJob(events)
  const request = own.find((event) => event.type === 'JobRequested')
  return {
    jobId,
    orgId,
    status: job.status,
    code: job.status === 'failed' ? job.code : null,
    attempts,
    spent,
    credits,
    sentences: [
      ...requestSentences(request, { jobId, orgId }),
      ...attempts.map((attempt, index) => attemptSentence(attempt, { from, next: attempts[index + 1] })),
      ...(job.status === 'open' ? openSentences(job, attempts, now) : endSentences(job, { own, attempts, from })),
      ...(request === undefined ? [] : [spentSentence(spent)]),
      ...creditsSentences(credits, job, own, until),
    ],
  }
}

function requestSentences(
  request: DomainEvent<'JobRequested'> | undefined,
  { jobId, orgId }: { jobId: string; orgId: string },
): string[] {
  if (request === undefined) return [`Job ${jobId} of organization ${orgId} was never requested.`]
  const { kind, url, mode, lang, keyId, windowSeconds, reused } = request.data
  const how = mode === null ? '' : ` in mode ${mode}`
  const language = lang === null ? '' : `, in ${lang} if possible`
  const by = keyId === null ? '' : ` by its key ${keyId}`
  return [
    `Job ${jobId} was asked for by organization ${orgId}${by}.`,
    `It is ${kind === 'extraction' ? 'an extraction from' : 'a transcript of'} ${url}${how}${language}, and had ${windowSeconds} s.`,
    ...(reused === null ? [] : [`It was given the result of job ${reused}, which would do, for 0 credits.`]),
  ]
}

function attemptSentence(attempt: Attempt, { from, next }: { from: number; next: Attempt | undefined }): string {
  const began = `After ${secondsText(attempt.startedAt - from)}, ${attempt.step} began, attempt ${attempt.attempt}`
  const worked = secondsText(attempt.endedAt - attempt.startedAt)
  return `${began}${outcomeOf(attempt, worked, next)}.`
}

function outcomeOf(attempt: Attempt, worked: string, next: Attempt | undefined): string {
  const { step, end } = attempt
  switch (end.type) {
    case 'result':
      return `; ${worked} later it had its result, ${end.event} (${end.note})${instead(end.event, next)}`
    case 'failed': {
      const why = `; ${worked} later it failed with ${end.code}`
      if (end.final) return `${why}, and was not tried again`
      return `${why}, to be tried again after ${secondsText(end.retryAfterSeconds * 1000)}`
    }
    case 'released':
      return end.retryAfterSeconds > 0
        ? `; ${worked} later it was given back for ${secondsText(end.retryAfterSeconds * 1000)}, to keep the pace of its platform`
        : `; ${worked} later it was given back, because its worker stopped`
    case 'lost':
      return `; its worker was killed or cut off: ${lostSentence(attempt)}, and ${worked} after its start another took its place`
    case 'cut':
      if (isLost(attempt)) return `; its worker was killed or cut off: ${lostSentence(attempt)}, and then the job ended`
      return `; ${worked} later the job ended while ${step} was at work`
    case 'at-work':
      return `, and has been at work for ${worked}`
  }
}

const lostSentence = (attempt: Attempt): string =>
  `it said no more after ${secondsText(attempt.lastSignAt - attempt.startedAt)}, its lease ran out ${secondsText(waitedForLease(attempt))} later`

const instead = (event: string, next: Attempt | undefined): string =>
  event === 'CaptionsUnavailable' && next?.step === 'speech-to-text' ? ', so the sound was transcribed instead' : ''

function openSentences(job: OpenJob, attempts: readonly Attempt[], now: number): string[] {
  const late = now >= job.deadlineAt ? ', which has passed: the orchestrator will fail it' : ''
  return [`It has not ended. ${standingOf(job, attempts, now)} Its deadline is ${isoOf(job.deadlineAt)}${late}.`]
}

function standingOf(job: OpenJob, attempts: readonly Attempt[], now: number): string {
  if (attempts.at(-1)?.end.type === 'at-work') return `${nextStep(job) ?? 'Nothing'} is at work.`
  const step = nextStep(job)
  if (step === undefined) return 'All results are there.'
  const retryAt = job.progress[step]?.retryAt ?? 0
  return retryAt > now ? `It waits until ${isoOf(retryAt)} to try ${step} again.` : `It waits for a worker for ${step}.`
}

type Past = { own: readonly StoredEvent[]; attempts: readonly Attempt[]; from: number }

function endSentences(job: EndedJob | { status: 'none' }, past: Past): string[] {
  if (job.status === 'none') return []
  const after = secondsText(job.endedAt - past.from)
  if (job.status === 'completed') return [`It completed after ${after}.`]
  const failed = `It failed after ${after} with ${job.code}: ${job.message}`
  const reason = reasonOf(job.code, past)
  return reason === undefined ? [failed] : [failed, reason]
}

/** The reason behind a failure, if its code alone does not give it. */
function reasonOf(code: string, { own, attempts }: Past): string | undefined {
  const last = attempts.at(-1)
  switch (code) {
    case 'not_accepted':
      return 'Its credits were taken, and its request was never stored: the process that took them died or lost the store.'
    case 'timeout':
      return `Its window had passed ${duringOf(last)}.`
    case 'internal_error':
      return endlessOf(attempts)
    case 'insufficient_credits': {
      const { budget, prices } = own.find((event) => event.type === 'JobRequested')?.data ?? {}
      return `There were no captions, and it had only ${budget} of the ${prices?.speech} credits for speech-to-text.`
    }
  }
  if (last?.end.type !== 'failed' || !failures[failureCodeOf(code)].isOurs) return undefined
  const asksHost = last.step === 'fetch' || last.step === 'caption'
  const asked = attempts.filter(({ end }) => !keepsPace(end)).length
  return asksHost && asked >= MAX_HOST_ATTEMPTS
    ? `Its steps had been started ${asked} times: after ${MAX_HOST_ATTEMPTS} no failure of a host outside is retried.`
    : `It was not retried: the failure was final, or left no time for another attempt.`
}

function duringOf(last: Attempt | undefined): string {
  if (last === undefined) return 'before any step began'
  if (last.end.type === 'cut' || last.end.type === 'at-work') return `while ${last.step} was at work`
  if (last.end.type === 'failed') return `before ${last.step} could be tried again`
  return `before the step after ${last.step} began`
}

/** True if the attempt sent no request, so that it counts towards no limit. */
const keepsPace = (end: Attempt['end']): boolean => end.type === 'released' && end.retryAfterSeconds > 0

/** Why the service gave up after attempts without an end; undefined if another error was the reason. */
function endlessOf(attempts: readonly Attempt[]): string | undefined {
  const last = attempts.at(-1)
  const ofStep = attempts.filter(({ step }) => step === last?.step)
  const lost = ofStep.filter(({ end }) => end.type === 'lost' || end.type === 'cut').length
  if (lost >= MAX_EXPIRED_LEASES) return `${lost} leases of ${last?.step} ran out: its input probably kills workers.`
  const endless = ofStep.filter(({ end }) => end.type !== 'failed' && !keepsPace(end)).length
  return endless >= MAX_ENDLESS_STARTS ? `${last?.step} was started ${endless} times without an end.` : undefined
}

function spentSentence({ worked, waitedForRetry, waitedForWorker, nobodyRan, waitedForLease }: TimeSpent): string {
  const waits = [
    [waitedForWorker, 'for a free worker'],
    [nobodyRan, 'while no worker was running'],
    [waitedForLease, 'for the lease of a killed worker to run out'],
    [waitedForRetry, 'to try again'],
  ] as const
  const told = waits.flatMap(([ms, what]) => (ms === 0 ? [] : [`${secondsText(ms)} ${what}`]))
  const waited = told.length === 0 ? 'never waited' : `waited ${new Intl.ListFormat('en-GB').format(told)}`
  return `Workers had it for ${secondsText(worked)}; it ${waited}.`
}
