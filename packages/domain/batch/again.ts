import type { EventData } from '#contracts/generated/events.ts'

export type Platform = EventData['CreditsDebited']['platform']

/**
 * Platforms that refuse to answer. `until`: no item begins there before this instant. `seconds`: the length of the
 * pause.
 */
export type Pauses = ReadonlyMap<Platform, { until: number; seconds: number }>

const SHORTEST = 30
const LONGEST = 30 * 60

/** For how long after its first beginning a refused item may begin again, milliseconds. */
export const AGAIN_FOR_MS = 24 * 60 * 60 * 1000

/** How many jobs of one item may fail by chance. */
const MOST_CHANCES = 3

const REFUSED = 'platform_blocked'

/** Failures that happen by chance: another job may succeed. */
const byChance: ReadonlySet<string> = new Set(['timeout', 'upstream_error'])

/** A job that was debited but never requested, because a process died. */
const NOT_ACCEPTED = 'not_accepted'

const doubled = (times: number): number => Math.min(LONGEST, SHORTEST * 2 ** Math.max(0, times))

/**
 * Seconds until an item begins again. Null: it has ended.
 * @param end why its job failed, null if it completed; `attempt`: from 1 on
 * @param ageMs the time since its first beginning, milliseconds
 */
export function againInSeconds({ code, attempt }: { code: string | null; attempt: number }, ageMs: number) {
  if (code === null || ageMs >= AGAIN_FOR_MS) return null
  if (code === NOT_ACCEPTED) return 0
  const mayBeginAnew = code === REFUSED || (byChance.has(code) && attempt < MOST_CHANCES)
  return mayBeginAnew ? doubled(attempt - 1) : null
}

/** The pauses after the end of a job. Refusals during a pause come from jobs that began before it. */
export function pauseAfter(
  pauses: Pauses,
  { platform, code, at }: { platform: Platform | undefined; code: string | null; at: number },
): Pauses {
  if (platform === undefined || (code !== null && code !== REFUSED)) return pauses
  const pause = pauses.get(platform)
  const after = new Map(pauses)
  if (code === null) return after.delete(platform) ? after : pauses
  if (pause !== undefined && at < pause.until) return pauses
  const seconds = pause === undefined ? SHORTEST : Math.min(LONGEST, pause.seconds * 2)
  return after.set(platform, { until: at + seconds * 1000, seconds })
}
