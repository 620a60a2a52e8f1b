import type { KnownWatch } from './state.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** A source that could not be read is read again after this time, or with the next look where that is sooner. */
const AGAIN_AFTER_MS = 15 * MINUTE_MS

/**
 * When a watch is to look next. Looks at one source fall on the same instants, whoever watches it and however often: it is
 * then read once for all.
 * @param offset of the source: any number
 * @param lookedAt of the newest look that was made, written down or not; null: none was
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

/** Periods divide a day: the slots of a longer one are among those of a shorter one. */
function slotAfter(instant: number, periodMs: number, offset: number): number {
  const start = offset % DAY_MS
  return start + (Math.floor((instant - start) / periodMs) + 1) * periodMs
}
