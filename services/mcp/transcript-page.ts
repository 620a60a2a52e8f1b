import type { TranscriptResult } from '#contracts/generated/http.ts'
import { milliseconds } from '#packages/content/captions/milliseconds.ts'
import { printable } from '#packages/foundation/printable/printable.ts'
import { tokensOf } from './tokens.ts'

type Segment = TranscriptResult['segments'][number]

/**
 * The longest segment, characters. A longer one is divided, with seconds in proportion to text, because pages end
 * between segments.
 */
const MAX_SEGMENT_LENGTH = 2000

/** Seconds as a player shows them. */
export function clockTime(seconds: number): string {
  const whole = Math.floor(seconds)
  const two = (n: number): string => String(n % 60).padStart(2, '0')
  const minutes = Math.floor(whole / 60)
  return minutes < 60 ? `${minutes}:${two(whole)}` : `${Math.floor(minutes / 60)}:${two(minutes)}:${two(whole)}`
}

/** A segment in one line. */
export const lineOf = ({ start, text }: Segment): string =>
  `[${clockTime(start)}] ${printable(text.replaceAll(/[\r\n]+/g, ' '))}`

function* partsOf({ start, end, text }: Segment): Generator<Segment> {
  const secondsEach = (end - start) / Math.max(1, text.length)
  for (let from = 0; from < text.length || from === 0; ) {
    const cut = text.length - from <= MAX_SEGMENT_LENGTH ? text.length : breakAt(text, from + MAX_SEGMENT_LENGTH)
    yield { start: start + from * secondsEach, end: start + cut * secondsEach, text: text.slice(from, cut).trim() }
    if (cut === 0) return
    from = cut
  }
}

/**
 * The place at which to cut a text: the last space before a place, else the place itself, but never inside a character.
 */
function breakAt(text: string, place: number): number {
  const space = text.lastIndexOf(' ', place)
  if (space > place - MAX_SEGMENT_LENGTH / 2) return space
  return /[\udc00-\udfff]/.test(text.charAt(place)) ? place - 1 : place
}

/** Makes every segment begin later than the one before it, so that each start is unique. */
function placed(segments: readonly Segment[]): Segment[] {
  let last = -1
  return segments
    .flatMap((segment) => [...partsOf(segment)])
    .map(({ start, end, text }) => {
      last = Math.max(milliseconds(start), milliseconds(last + 0.001))
      return { start: last, end: Math.max(milliseconds(end), last), text }
    })
}

export type TranscriptPage = {
  segments: Segment[]
  /** The second at which the next page begins. Undefined for the last page. */
  nextFromSeconds: number | undefined
}

/** The segments that begin from `fromSeconds` on and before `toSeconds`, as many as fit into `maxTokens`. */
export function transcriptPage(
  transcript: TranscriptResult,
  { fromSeconds = 0, toSeconds = Number.POSITIVE_INFINITY }: { fromSeconds?: number; toSeconds?: number },
  maxTokens: number,
): TranscriptPage {
  const wanted = placed(transcript.segments).filter(({ start }) => start >= fromSeconds && start < toSeconds)
  let tokens = 0
  let count = 0
  for (const segment of wanted) {
    // The answer has a segment twice: as text, and as structured content.
    tokens += tokensOf(lineOf(segment)) + tokensOf(JSON.stringify(segment)) + 2
    if (tokens > maxTokens && count > 0) break
    count++
  }
  return { segments: wanted.slice(0, count), nextFromSeconds: wanted[count]?.start }
}
