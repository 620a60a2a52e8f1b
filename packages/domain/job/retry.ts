import type { DomainEvent } from '../event.ts'
import { RELEASED, resultTypes, type Step } from './events.ts'
import { minimumSeconds } from './next.ts'
import type { OpenJob } from './state.ts'

/** Who failed an attempt, outside: the host of a media file that a customer named, or a platform. */
export type Host = 'direct' | 'platform'

/**
 * Starts of steps of one job after which a failure of a host is not tried again. All starts count, whatever became of
 * them: one that was lost or given back has probably asked the host too. For the host of a direct file it is also the
 * most requests that a job makes of it: see {@link lastTryOf} for redirects, {@link mayAskDirectHost} for starts that
 * were lost.
 */
export const MAX_HOST_ATTEMPTS = 6

/** The host of a direct file is tried again only so long after the step was first started, seconds. */
export const DIRECT_HOST_SECONDS = 45

/** The longest wait before each further attempt at a host, seconds: together they stay within those 45. */
export const HOST_DELAYS: readonly number[] = [1, 3, 6, 12, 20]

/** The part of such a wait that chance may take away: jobs that failed together come back one after another. */
const HOST_JITTER = 0.25

/** Backoff of what is ours or the operator's: full jitter under a ceiling that doubles. Seconds. */
const backoff = { base: 0.5, cap: 8 } as const

/** The part of the window in which the caption step of a job that can do without captions is retried. */
const CAPTION_RETRY_SHARE = 1 / 12

/** What a failure must tell to be tried again. */
export type Failed = {
  step: Step
  /** The host that failed; undefined where what failed is ours, or not known. */
  host: Host | undefined
  /** Requests that the attempt has made of that host; undefined: one, or not counted. */
  requests?: number | undefined
  /** The step's result can be done without. */
  dispensable: boolean
}

const results: ReadonlySet<string> = new Set(resultTypes)

/** How often steps of the job were started. */
const startsOf = (job: OpenJob): number =>
  Object.values(job.progress).reduce((sum, progress) => sum + (progress?.starts ?? 0), 0)

/** The wait before another attempt, seconds. @param chance a number in [0, 1) */
export function delayOf(job: OpenJob, failed: Failed, chance: number): number {
  const failedBefore = (job.progress[failed.step]?.starts ?? 1) - 1
  if (failed.host === undefined) return chance * Math.min(backoff.cap, backoff.base * 2 ** failedBefore)
  const longest = HOST_DELAYS[Math.min(failedBefore, HOST_DELAYS.length - 1)] ?? 0
  return longest * (1 - HOST_JITTER * chance)
}

/**
 * Whether the attempt at work may ask the host of a direct file. Six starts that came to nothing are all that a job
 * has, whatever ended them, the one at work included: who keeps killing this service by a file cannot make it ask for
 * ever. A long download that is cut off six times by restarts fails too; the bound of MAX_ENDLESS_STARTS, which is more
 * patient, is for platforms and for steps that ask nobody. Failures of speech and extraction are our own and do not count.
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
 * Whether a failed attempt at a direct file's host leaves requests for another. Events tell starts, not requests: each
 * earlier start is taken for one that was redirected as often as this one, as it is where a host answers the same.
 */
const leavesRequests = (starts: number, { host, requests = 1 }: Failed): boolean =>
  host !== 'direct' || (starts + 1) * requests <= MAX_HOST_ATTEMPTS

/** Up to when another attempt may begin, milliseconds since 1970; undefined: there is none. */
export function lastTryOf(job: OpenJob, failed: Failed): number | undefined {
  const { host } = failed
  // what can be done without leaves an attempt to what comes in its place
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
