import { minimumSeconds } from './next.ts'
import type { OpenJob, Step } from './state.ts'

/** Who failed an attempt, outside: the host of a media file that a customer named, or a platform. */
export type Host = 'direct' | 'platform'

/**
 * Starts of steps of one job after which a failure of a host is not tried again. All starts count, whatever became of
 * them: one that was lost or given back has probably asked the host too.
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
  /** The step's result can be done without. */
  dispensable: boolean
}

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

/** Up to when another attempt may begin, milliseconds since 1970; undefined: there is none. */
export function lastTryOf(job: OpenJob, failed: Failed): number | undefined {
  const { host } = failed
  // what can be done without leaves an attempt to what comes in its place
  const attempts = MAX_HOST_ATTEMPTS - (failed.dispensable ? 1 : 0)
  if (host !== undefined && startsOf(job) >= attempts) return undefined
  const firstAt = job.progress[failed.step]?.firstStartedAt ?? job.requestedAt
  return Math.min(
    job.deadlineAt - minimumSeconds[failed.step] * 1000,
    host === 'direct' ? firstAt + DIRECT_HOST_SECONDS * 1000 : Number.POSITIVE_INFINITY,
    failed.dispensable ? firstAt + job.windowSeconds * 1000 * CAPTION_RETRY_SHARE : Number.POSITIVE_INFINITY,
  )
}
