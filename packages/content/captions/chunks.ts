import type { TranscriptResult } from '#contracts/generated/http.ts'
import { clockOf, type TimedWord, wordsBySegment } from './cues/word-times.ts'
import { type Range, sentencesIn } from './sentences.ts'
import { spokenTexts } from './transcript-text.ts'

export type Chunk = { start: number; end: number; text: string }

/** The bounds of `chunkSize`, characters. */
export const chunkSizes = { min: 200, max: 10_000 }

/** The position of a segment's text in the transcript, and the times of its parts, which must be requested in order. */
type Spoken = { from: number; to: number; timesOf: (from: number, to: number) => { start: number; end: number } }

/**
 * The text of a transcript in chunks of whole sentences, as many in each as fit in `size` characters. A longer
 * sentence is its own chunk. Text without sentence ends for longer than the largest chunk is cut between its
 * segments. Between two chunks there is only white space.
 * @param words of speech, if known; without them time is spread evenly over a segment
 */
export function chunksOf(transcript: TranscriptResult, size: number, words: readonly TimedWord[]): Chunk[] {
  const { text } = transcript
  const spoken = spokenOf(transcript, words)
  const times = timesIn(spoken)
  return joined(unitsOf(text, spoken), size).map(([from, to]) => ({ ...times(from, to), text: text.slice(from, to) }))
}

/** The pieces of a text that must not be cut. */
function unitsOf(text: string, spoken: readonly Spoken[]): Range[] {
  const { sentences, isMarked } = sentencesIn(text)
  if (!isMarked) return spoken.map(({ from, to }) => [from, to])
  return sentences.flatMap(([from, to]) =>
    to - from <= chunkSizes.max ? [[from, to]] : bySegments([from, to], spoken),
  )
}

/** The parts of a range, each within one segment. */
function bySegments([from, to]: Range, spoken: readonly Spoken[]): Range[] {
  const inside = spoken.filter((segment) => segment.to > from && segment.from < to)
  return inside.map((segment) => [Math.max(from, segment.from), Math.min(to, segment.to)])
}

/** Joins consecutive pieces as long as they fit. */
function joined(pieces: readonly Range[], size: number): Range[] {
  const chunks: Range[] = []
  for (const [from, to] of pieces) {
    const last = chunks.at(-1)
    if (last !== undefined && to - last[0] <= size) last[1] = to
    else chunks.push([from, to])
  }
  return chunks
}

function spokenOf({ segments }: TranscriptResult, words: readonly TimedWord[]): Spoken[] {
  const texts = spokenTexts(segments)
  const ofSegments = wordsBySegment(segments, words)
  let from = 0
  return segments.flatMap(({ start, end }, index): Spoken[] => {
    const text = texts[index] ?? ''
    if (text === '') return []
    const spoken = { from, to: from + text.length, timesOf: clockOf({ start, end, text }, ofSegments[index] ?? []) }
    from = spoken.to + 1
    return [spoken]
  })
}

/** Gives the times of ranges of the text, which must be requested in order. They never go back. */
function timesIn(spoken: readonly Spoken[]): (from: number, to: number) => { start: number; end: number } {
  let at = 0
  let latest = 0
  const partOf = (from: number, to: number) => {
    const segment = spoken[at]
    return segment?.timesOf(Math.max(0, from - segment.from), Math.min(to, segment.to) - segment.from)
  }
  return (from, to) => {
    while ((spoken[at]?.to ?? Number.POSITIVE_INFINITY) <= from) at++
    const first = partOf(from, to)
    const begun = at
    while ((spoken[at + 1]?.from ?? Number.POSITIVE_INFINITY) < to) at++
    const last = at === begun ? first : partOf(from, to)
    const start = Math.max(latest, first?.start ?? 0)
    latest = start
    return { start, end: Math.max(start, last?.end ?? start) }
  }
}
