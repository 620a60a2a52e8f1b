import { milliseconds } from '#packages/content/captions/milliseconds.ts'
import type { Segment, Stretch, Word } from '../engine.ts'
import { touches } from '../stretches.ts'

/** A worker's answer to one piece. */
export type HeardPiece = {
  /** The spoken language and its probability. Null if it was not requested. */
  heard: [code: string, probability: number] | null
  segments: HeardSegment[]
  /** How long the worker has worked. */
  seconds: number
  /** How many characters of the vocabulary it used. */
  heeded: number
}

export type HeardSegment = {
  text: string
  logprob: number
  noSpeech: number
  compression: number
  words: [start: number, end: number, text: string, confidence: number][]
}

/** How far from voice activity a segment may lie and still be believed. */
const TOLERANCE_SECONDS = 0.5

/**
 * Signs of made-up text: probable silence with low confidence, and text that repeats itself. Whisper's own limit of
 * confidence, -1, would accept the "You" that it hears in silence (-0.76), and the "I'm sorry" in white noise
 * (-0.88). The words of such text have at most 0.12, and real ones at least 0.43. Of 150 segments of English, French,
 * Spanish and Russian (clean, whispered, at -36 dB in noise, echoing, by telephone) this drops one: a whispered one,
 * for its confidence.
 */
const isInvented = ({ logprob, noSpeech, compression, words }: HeardSegment): boolean =>
  (noSpeech > 0.6 && logprob < -0.7) || compression > 2.4 || meanConfidence(words) < 0.3

/**
 * With a vocabulary, Whisper makes up more. It repeats terms in noise, with more confidence than in other made-up
 * text. For twelve sounds with three vocabularies it made eleven such texts, all with a silence probability of at
 * least 0.47. Speech had at most 0.14, even with noise and echo.
 */
const isRecited = ({ logprob, noSpeech }: HeardSegment): boolean => logprob < -1 || (noSpeech > 0.4 && logprob < -0.5)

/** With a vocabulary, Whisper may continue its list before the spoken text: "Atlas. He might even have been". */
function withoutListed(heard: HeardSegment): HeardSegment {
  const [first, ...words] = heard.words
  const isListed = first !== undefined && /[.,]$/.test(first[2]) && first[3] < 0.3
  return isListed ? { ...heard, words, text: words.map(([, , text]) => text).join('') } : heard
}

const meanConfidence = (words: HeardSegment['words']): number =>
  words.reduce((sum, [, , , confidence]) => sum + confidence, 0) / Math.max(1, words.length)

const wordIn =
  (piece: Stretch) =>
  ([start, end, text, confidence]: HeardSegment['words'][number]): Word => {
    const from = Math.min(Math.max(start, piece.start), piece.end)
    return {
      start: milliseconds(from),
      end: milliseconds(Math.max(from, Math.min(end, piece.end))),
      text: text.trim(),
      confidence: Math.round(Math.min(1, Math.max(0, confidence)) * 100) / 100,
    }
  }

/**
 * The segments and words of a piece. Segments begin with their first word and end with their last, because Whisper's
 * own segment times are whole seconds.
 */
export function readHeard(
  { segments, heeded }: HeardPiece,
  piece: Stretch,
  regions: readonly Stretch[],
): { segment: Segment; words: Word[] }[] {
  return segments.flatMap((each) => {
    if (heeded > 0 && isRecited(each)) return []
    const heard = heeded > 0 ? withoutListed(each) : each
    const words = heard.words.map(wordIn(piece)).filter(({ text }) => text !== '')
    const [first, last] = [words[0], words.at(-1)]
    const isText = /[\p{L}\p{N}]/u.test(heard.text)
    if (first === undefined || last === undefined || !isText || isInvented(heard)) return []
    const segment = { start: first.start, end: last.end, text: heard.text.trim() }
    return touches(segment, regions, TOLERANCE_SECONDS) ? [{ segment, words }] : []
  })
}
