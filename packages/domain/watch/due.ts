import type { KnownWatch } from './state.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/**
 * A source that could not be read is read again after this time, or with the next look if that is sooner, milliseconds.
 */
const AGAIN_AFTER_MS = 15 * MINUTE_MS

/**
 * The time of a watch's next look. All looks at one source fall on the same instants, whatever the organization and the
 * period, so the source is read once for all watches.
 * @param offset of the source: any number
 * @param lookedAt the time of the newest look, recorded or not. Null: there was none
 */
export function dueAt(
  { onSince, everySeconds, failure }: Pick<KnownWatch, 'onSince' | 'everySeconds' | 'failure'>,
  offset: number,
  lookedAt: number | null,
): number {
  if (lookedAt === null || lookedAt < onSince) return onSince
  const next = slotAfter(lookedAt, everySeconds * 1000, offset)
  return failure === null ? next : Math.min(next, lookedAt + AGAIN_AFTER_MS)
}

/** Periods divide a day, so the slots of a longer period are among those of a shorter one. */
function slotAfter(instant: number, periodMs: number, offset: number): number {
  const start = offset % DAY_MS
  return start + (Math.floor((instant - start) / periodMs) + 1) * periodMs
}
