import { milliseconds } from '#packages/content/captions/milliseconds.ts'
import type { Segment } from './engine.ts'

/**
 * Segments in order, trimmed, without empty ones. Each ends before the next begins and inside the audio, even if it
 * is given a later beginning. Times are rounded to milliseconds.
 */
export function tidySegments(segments: readonly Segment[], audioSeconds: number): Segment[] {
  const within = (time: number): number => Math.min(Math.max(0, time), audioSeconds)
  const kept = segments
    .map((segment) => ({ ...segment, text: segment.text.trim(), start: within(segment.start) }))
    .filter(({ text }) => text !== '')
    .sort((a, b) => a.start - b.start)
  return kept.map((segment, i) => {
    const limit = Math.min(kept[i + 1]?.start ?? audioSeconds, audioSeconds)
    const end = Math.max(segment.start, Math.min(segment.end, limit))
    return { ...segment, start: milliseconds(segment.start), end: milliseconds(end) }
  })
}
