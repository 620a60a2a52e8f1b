import type { Segment } from './clean.ts'

/** YouTube shows a line until the next but one comes: each ends at the latest where the next begins. */
export const withoutOverlaps = (segments: readonly Segment[]): Segment[] =>
  segments.map((one, index) => {
    const next = segments[index + 1]
    return next && next.start > one.start && next.start < one.end ? { ...one, end: next.start } : one
  })
