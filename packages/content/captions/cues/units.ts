import type { TranscriptResult } from '#contracts/generated/http.ts'
import { clockOf, type TimedWord, wordsBySegment } from './word-times.ts'

export type { TimedWord }

export type Segment = TranscriptResult['segments'][number]

/** A piece of text that no line break may divide: a word with its punctuation. Times in seconds, to the millisecond. */
export type Unit = {
  text: string
  width: number
  start: number
  end: number
  /** Whether a space stands before it. */
  isSpaced: boolean
  /** Whether it must begin a cue. */
  isFirst: boolean
}

/** Scripts without spaces between words, and their punctuation. */
const unspaced =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u3001\u3002\uff01\uff0c\uff1f]/u

const startsUnspaced = new RegExp(`^${unspaced.source}`, 'u')
const endsUnspaced = new RegExp(`${unspaced.source}$`, 'u')

/** Characters of two columns: Chinese, Japanese, Korean, and full-width signs. */
const wide = /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60\u{20000}-\u{3fffd}]/u

const opensQuote = /^[\p{Ps}\p{Pi}]+$/u
const signsOnly = /^[^\p{L}\p{N}]+$/u
const plain = /^[\x20-\x7e]*$/

const wordsIn = new Intl.Segmenter(undefined, { granularity: 'word' })
const charactersIn = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Columns of a text. */
export function widthOf(text: string): number {
  if (plain.test(text)) return text.length
  let width = 0
  for (const { segment } of charactersIn.segment(text)) width += wide.test(segment) ? 2 : Math.min(2, segment.length)
  return width
}

/**
 * The text of segments in units, in order and complete. A unit has the times of its words. Unknown times are spread
 * evenly between known ones.
 * @param words in order; without any, a cue begins with each segment
 * @param maxWidth of a unit, columns
 */
export function unitsOf(segments: readonly Segment[], words: readonly TimedWord[], maxWidth: number): Unit[] {
  const ofSegments = wordsBySegment(segments, words)
  let latest = 0
  let before: Segment | undefined
  return segments.flatMap((segment, i) => {
    const timesOf = clockOf(segment, ofSegments[i] ?? [])
    const begins = words.length === 0 || before?.speaker !== segment.speaker
    const joins = before !== undefined && endsUnspaced.test(before.text) && startsUnspaced.test(segment.text)
    before = segment
    return breaksOf(segment.text, maxWidth).map(([from, to], index): Unit => {
      const times = timesOf(from, to)
      const start = Math.max(latest, times.start)
      latest = start
      const text = segment.text.slice(from, to)
      const isSpaced = index === 0 ? !joins : /\s/.test(segment.text[from - 1] ?? '')
      const isFirst = index === 0 && begins
      return { text, width: widthOf(text), start, end: Math.max(start, times.end), isSpaced, isFirst }
    })
  })
}

type Range = [from: number, to: number]

/** The beginning and end of each unit of a text. Only white space lies between units. */
function breaksOf(text: string, maxWidth: number): Range[] {
  return [...text.matchAll(/\S+/g)].flatMap(({ 0: piece, index }) =>
    (unspaced.test(piece) ? wordsOf(piece) : [piece])
      .flatMap((word) => (widthOf(word) <= maxWidth ? [word] : chopped(word, maxWidth)))
      .map((word): Range => {
        const from = index
        index += word.length
        return [from, index]
      }),
  )
}

/** Splits text without spaces into words, each with the punctuation after it and the quotes that it opens. */
function wordsOf(piece: string): string[] {
  const words: string[] = []
  for (const { segment } of wordsIn.segment(piece)) {
    const last = words.at(-1)
    const isGlued =
      last !== undefined && (opensQuote.test(last) || (signsOnly.test(segment) && !opensQuote.test(segment)))
    if (isGlued) words[words.length - 1] = last + segment
    else words.push(segment)
  }
  return words
}

/** Splits a word that is too long for a line. */
function chopped(word: string, maxWidth: number): string[] {
  const pieces: string[] = []
  let piece = ''
  let width = 0
  for (const { segment } of charactersIn.segment(word)) {
    width += widthOf(segment)
    if (width > maxWidth && piece !== '') {
      pieces.push(piece)
      piece = ''
      width = widthOf(segment)
    }
    piece += segment
  }
  return [...pieces, piece]
}
