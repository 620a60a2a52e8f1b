import { CaptionsTooLongError, cleanLines, limits, type Segment, segment, withoutLayers, writings } from './clean.ts'
import { withoutOverlaps } from './without-overlaps.ts'

type Json3 = { events?: unknown }
type Event = { tStartMs?: unknown; dDurationMs?: unknown; aAppend?: unknown; segs?: unknown }
type Seg = { utf8?: unknown; tOffsetMs?: unknown }

/**
 * Reads YouTube's json3. Events without words define windows. Events that append only add a line break to the
 * previous one.
 * @throws CaptionsTooLongError for more than 20,000 events; SyntaxError for invalid JSON
 */
export function parseJson3(text: string): Segment[] {
  const { events } = JSON.parse(text) as Json3
  if (!Array.isArray(events)) return []
  const spoken = spokenIn(events)
  if (spoken.length > limits.maxCues) throw new CaptionsTooLongError()
  return withoutOverlaps(withoutLayers(spoken.map(toSegment).filter(({ text }) => text !== '')))
}

const spokenIn = (events: Event[]): Event[] =>
  events.filter(({ segs, aAppend }) => Array.isArray(segs) && aAppend !== 1)

function toSegment({ tStartMs, dDurationMs, segs }: Event): Segment {
  const start = numberOf(tStartMs)
  const words = (segs as Seg[]).map(({ utf8 }) => textOf(utf8)).join('')
  return segment(start / 1000, (start + numberOf(dDurationMs)) / 1000, shown(words))
}

/**
 * The words of recognised speech with their times. Undefined for captions without word times, such as those by
 * people, and for more words than a track may have lines.
 */
export function wordsOfJson3(text: string): Segment[] | undefined {
  const { events } = JSON.parse(text) as Json3
  if (!Array.isArray(events)) return undefined
  const said = spokenIn(events)
    .flatMap(toWords)
    .filter(({ text }) => text !== '')
  const words = withoutOverlaps(withoutLayers(said))
  const isTimed = (events as Event[]).some(({ segs }) => Array.isArray(segs) && segs.some(({ tOffsetMs }) => tOffsetMs))
  return isTimed && words.length <= limits.maxLines ? words : undefined
}

/** Each word ends no later than its event. */
function toWords({ tStartMs, dDurationMs, segs }: Event): Segment[] {
  const start = numberOf(tStartMs)
  const end = start + numberOf(dDurationMs)
  return (segs as Seg[]).map(({ utf8, tOffsetMs }) =>
    segment((start + numberOf(tOffsetMs)) / 1000, end / 1000, shown(textOf(utf8))),
  )
}

const shown = (words: string): string => cleanLines(words, writings.withEntities).join(' ')

const textOf = (utf8: unknown): string => (typeof utf8 === 'string' ? utf8 : '')

const numberOf = (value: unknown): number => (typeof value === 'number' && value >= 0 ? value : 0)
