import { CaptionsTooLongError, cleanLines, limits, type Segment, segment } from './clean.ts'
import { withoutOverlaps } from './without-overlaps.ts'

type Json3 = { events?: unknown }
type Event = { tStartMs?: unknown; dDurationMs?: unknown; aAppend?: unknown; segs?: unknown }

/**
 * Reads YouTube's json3. Events without words define windows; those that append only add a line break to the one
 * before.
 * @throws CaptionsTooLongError for more than 20,000 events; SyntaxError for invalid JSON
 */
export function parseJson3(text: string): Segment[] {
  const { events } = JSON.parse(text) as Json3
  if (!Array.isArray(events)) return []
  const spoken = (events as Event[]).filter(({ segs, aAppend }) => Array.isArray(segs) && aAppend !== 1)
  if (spoken.length > limits.maxCues) throw new CaptionsTooLongError()
  return withoutOverlaps(spoken.map(toSegment).filter(({ text }) => text !== ''))
}

function toSegment({ tStartMs, dDurationMs, segs }: Event): Segment {
  const start = numberOf(tStartMs)
  const words = (segs as { utf8?: unknown }[]).map(({ utf8 }) => (typeof utf8 === 'string' ? utf8 : '')).join('')
  return segment(start / 1000, (start + numberOf(dDurationMs)) / 1000, cleanLines(words).join(' '))
}

const numberOf = (value: unknown): number => (typeof value === 'number' && value >= 0 ? value : 0)
