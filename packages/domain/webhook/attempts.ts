const MINUTE = 60
const HOUR = 60 * MINUTE

/** Seconds from each failed attempt to the next (Standard Webhooks): three days in total. */
export const retriesInSeconds: readonly number[] = [
  5,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

/**
 * A wait is longer by up to this fraction of itself, so that attempts that failed together are not repeated together.
 */
const JITTER = 0.1

/** The longest delay that a receiver can request, seconds. */
const LONGEST_RETRY_AFTER = 24 * HOUR

/** If the last attempt fails, a webhook without a success for this long is switched off, milliseconds. */
export const SILENT_MS = 4 * 24 * HOUR * 1000

/**
 * @param attempt the number of the failed attempt, from 1 on
 * @param how `retryAfterSeconds`: the delay that the receiver requests, null for none; `chance`: in [0, 1)
 * @returns seconds to the next attempt; null: that was the last one
 */
export function nextAttemptInSeconds(
  attempt: number,
  { retryAfterSeconds, chance }: { retryAfterSeconds: number | null; chance: number },
): number | null {
  const planned = retriesInSeconds[attempt - 1]
  if (planned === undefined) return null
  const asked = Math.min(retryAfterSeconds ?? 0, LONGEST_RETRY_AFTER)
  return Math.max(planned, asked) * (1 + JITTER * chance)
}
