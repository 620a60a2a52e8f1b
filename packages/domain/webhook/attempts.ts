const MINUTE = 60
const HOUR = 60 * MINUTE

/** Seconds from an attempt that failed to the next one, by how many there were (Standard Webhooks): three days together. */
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

/** A wait is longer by up to this share of itself, so that what failed together does not come again together. */
const JITTER = 0.1

/** A receiver that asks for a later attempt is heeded up to here, seconds. */
const LONGEST_RETRY_AFTER = 24 * HOUR

/** After a last attempt that failed, a webhook without a success for so long is switched off, milliseconds. */
export const SILENT_MS = 4 * 24 * HOUR * 1000

/**
 * @param attempt that has failed, from 1 on
 * @param how `retryAfterSeconds`: that the receiver asks for, null for none; `chance`: in [0, 1)
 * @returns seconds to the next attempt; null: it was the last one
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
