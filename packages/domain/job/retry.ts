import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { RELEASED, resultTypes, type Step } from './events.ts'
import { minimumSeconds } from './next.ts'
import type { OpenJob, StepProgress } from './state.ts'

/** The kind of the host that failed: the host of a direct media file, or a platform. */
export type Host = 'direct' | 'platform'

/**
 * After this many starts of a job's steps, a failure of a host is not retried. A start that was lost or released counts
 * too, as it has probably sent requests. A start that was released to keep a pace does not count.
 * A job also sends at most this many requests to the host of a direct file, unless that host redirects to itself more
 * often within one attempt. See {@link lastTryOf} for redirects, and {@link mayAskDirectHost} for starts that were
 * lost.
 */
export const MAX_HOST_ATTEMPTS = 6

/** The host of a direct file is retried only until this long after the first start of the step, seconds. */
export const DIRECT_HOST_SECONDS = 45

/** The longest wait before each further attempt at a host, seconds. Together they stay within DIRECT_HOST_SECONDS. */
export const HOST_DELAYS: readonly number[] = [1, 3, 6, 12, 20]

/** The random share of such a wait, so that jobs that failed together do not retry together. */
const HOST_JITTER = 0.25

/** Backoff after failures of this service or the operator's: full jitter under a ceiling that doubles. Seconds. */
const backoff = { base: 0.5, cap: 8 } as const

/** The fraction of the window in which captions are retried if speech-to-text can replace them. */
const CAPTION_RETRY_SHARE = 1 / 12

/** The facts about a failed attempt that decide whether it is retried. */
export type Failed = {
  step: Step
  /** The host that failed; undefined if the failure is our own, or the host is unknown. */
  host: Host | undefined
  /**
   * The number of requests that the attempt sent to the host that it asked most often. Undefined: one, or not counted.
   */
  requests?: number | undefined
  /** The job can continue without the step's result. */
  dispensable: boolean
}

const results: ReadonlySet<string> = new Set(resultTypes)

/** Starts of a step that may have sent a request to a host, including the one at work. */
const askingOf = (progress: StepProgress | undefined): number =>
  progress === undefined ? 0 : progress.starts - progress.paced

/** Starts of all steps of the job that may have sent a request to a host. */
const startsOf = (job: OpenJob): number =>
  Object.values(job.progress).reduce((sum, progress) => sum + askingOf(progress), 0)

/** The wait before another attempt, seconds. @param chance a number in [0, 1) */
export function delayOf(job: OpenJob, failed: Failed, chance: number): number {
  const failedBefore = Math.max(0, askingOf(job.progress[failed.step]) - 1)
  if (failed.host === undefined) return chance * Math.min(backoff.cap, backoff.base * 2 ** failedBefore)
  const longest = HOST_DELAYS[Math.min(failedBefore, HOST_DELAYS.length - 1)] ?? 0
  return longest * (1 - HOST_JITTER * chance)
}

/**
 * Whether the attempt at work may send requests to the host of a direct file. A job has six starts without a result,
 * including the one at work, however they ended. So a file that kills this service is not requested endlessly. A long
 * download that restarts cut off six times fails too.
 * MAX_ENDLESS_STARTS, which is larger, is for platforms and for steps that send no requests. Failures of speech and
 * extraction are our own and do not count.
 * @param events of the job, up to the attempt at work
 */
export function mayAskDirectHost(events: readonly DomainEvent[]): boolean {
  const count = (counts: (event: DomainEvent) => boolean): number => events.filter(counts).length
  const started = count(({ type }) => type === 'StepStarted')
  const succeeded = count(({ type }) => results.has(type))
  const oursFailed = count(
    ({ type, data }) =>
      type === 'StepFailed' && data.code !== RELEASED && (data.step === 'speech-to-text' || data.step === 'extract'),
  )
  return started - succeeded - oursFailed <= MAX_HOST_ATTEMPTS
}

/**
 * Whether a failed attempt at a direct file's host leaves requests for another attempt. The events record starts, not
 * requests. So each earlier start is assumed to have made as many requests as this one, including redirects.
 */
const leavesRequests = (starts: number, { host, requests = 1 }: Failed): boolean =>
  host !== 'direct' || (starts + 1) * requests <= MAX_HOST_ATTEMPTS

/** The latest time for another attempt to begin, milliseconds since 1970; undefined: there is none. */
export function lastTryOf(job: OpenJob, failed: Failed): number | undefined {
  const { host } = failed
  // One attempt is reserved for the step that replaces the captions.
  const attempts = MAX_HOST_ATTEMPTS - (failed.dispensable ? 1 : 0)
  if (host !== undefined && startsOf(job) >= attempts) return undefined
  if (!leavesRequests(job.progress[failed.step]?.starts ?? 1, failed)) return undefined
  const firstAt = job.progress[failed.step]?.firstStartedAt ?? job.requestedAt
  return Math.min(
    job.deadlineAt - minimumSeconds[failed.step] * 1000,
    host === 'direct' ? firstAt + DIRECT_HOST_SECONDS * 1000 : Number.POSITIVE_INFINITY,
    failed.dispensable ? firstAt + job.windowSeconds * 1000 * CAPTION_RETRY_SHARE : Number.POSITIVE_INFINITY,
  )
}
