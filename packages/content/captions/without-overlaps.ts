import type { Segment } from './clean.ts'

/** Ends each segment no later than the next begins: YouTube shows a line until the next but one comes. */
export const withoutOverlaps = (segments: readonly Segment[]): Segment[] =>
  segments.map((one, index) => {
    const next = segments[index + 1]
    return next && next.start > one.start && next.start < one.end ? { ...one, end: next.start } : one
  })
