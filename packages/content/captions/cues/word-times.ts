import { milliseconds } from '../milliseconds.ts'

/** A word of a transcript with its times, seconds. */
export type TimedWord = { start: number; end: number; text: string }

type Times = { start: number; end: number }

/** A range of the text, by offsets, with known times. */
type Mark = Times & { from: number; to: number }

/** How many characters ahead to search for a word: a wrong word must not hide the right ones after it. */
const REACH = 40

/** The words of each segment, provided they are in order. */
export function wordsBySegment(
  segments: readonly { start: number }[],
  words: readonly TimedWord[],
): (readonly TimedWord[])[] {
  let next = 0
  return segments.map((_, i) => {
    const first = next
    const until = segments[i + 1]?.start ?? Number.POSITIVE_INFINITY
    while (next < words.length && (words[next] as TimedWord).start < until) next++
    return words.slice(first, next)
  })
}

/**
 * Gives the times of ranges of a segment's text, which must be requested in order. The times of the words found in it
 * are known; between them time is spread evenly.
 */
export function clockOf(
  segment: Times & { text: string },
  words: readonly TimedWord[],
): (from: number, to: number) => Times {
  const marks = marksOf(segment, words)
  let index = 0
  return (from, to) => {
    while ((marks[index + 1]?.from ?? Number.POSITIVE_INFINITY) < from) index++
    const inside: Mark[] = []
    for (let i = index; (marks[i]?.from ?? to) < to; i++) {
      const mark = marks[i] as Mark
      if (mark.from >= from && mark.to > mark.from) inside.push(mark)
    }
    const start = inside[0]?.start ?? between(marks, index, from)
    const end = inside.at(-1)?.end ?? between(marks, index, to)
    return { start: milliseconds(start), end: milliseconds(end) }
  }
}

/** The words found in the text, in order, between two empty marks for its beginning and end. */
function marksOf({ start, end, text }: Times & { text: string }, words: readonly TimedWord[]): Mark[] {
  const marks: Mark[] = [{ from: 0, to: 0, start, end: start }]
  let from = 0
  for (const word of words) {
    const found = text.slice(from, from + REACH + word.text.length).indexOf(word.text)
    if (found < 0 || word.text === '') continue
    const to = from + found + word.text.length
    marks.push({ from: from + found, to, start: word.start, end: word.end })
    from = to
  }
  const last = Math.max(end, marks.at(-1)?.end ?? end)
  return [...marks, { from: text.length, to: text.length, start: last, end: last }]
}

/** The time at an offset, by the marks around it. @param index a mark at or before the offset, to search from */
function between(marks: readonly Mark[], index: number, at: number): number {
  let i = index
  while ((marks[i + 1]?.from ?? Number.POSITIVE_INFINITY) <= at) i++
  const [before, after] = [marks[i], marks[i + 1]]
  if (before === undefined || after === undefined) return before?.end ?? 0
  if (at < before.to)
    return before.start + ((before.end - before.start) * (at - before.from)) / (before.to - before.from)
  const span = after.from - before.to
  return before.end + (span === 0 ? 0 : ((after.start - before.end) * (at - before.to)) / span)
}
