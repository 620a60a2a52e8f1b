import { canonicalTag, languageNamed } from '#packages/content/languages/languages.ts'
import type { Segment, Word } from '../engine.ts'
import { type Part, timesOf } from './read-times.ts'

/** An endpoint's answer for one piece of audio. Times in seconds from the start of the piece. */
export type Answer = {
  language: string | null
  text: string
  /** Undefined if the answer has no times. */
  segments: Segment[] | undefined
  /** Undefined unless the answer has words that all have times. */
  words: Word[] | undefined
}

/** The share of a text's letters that its parts may lack: endpoints tidy their texts. */
const MAY_LACK = 0.1

const isObject = (value: unknown): value is Part => typeof value === 'object' && value !== null

/** Whisper's own signs of made-up text: probable silence with low confidence, or text that repeats itself. */
function isInvented(segment: Part): boolean {
  const over = (name: string, limit: number) => typeof segment[name] === 'number' && segment[name] > limit
  const unsure = typeof segment.avg_logprob === 'number' && segment.avg_logprob < -1
  return (over('no_speech_prob', 0.6) && unsure) || over('compression_ratio', 2.4)
}

const lettersIn = (text: string): number => text.replaceAll(/[^\p{L}\p{N}]/gu, '').length

type Timed = { part: Part; text: string; start: number; end: number }

/**
 * The parts of a text, with their own texts in `field`. Undefined if they are missing, or have no times.
 * @throws TypeError if they are not the whole text, or their times cannot be right
 */
function partsOf(given: unknown, field: 'text' | 'word', whole: string, seconds: number): Timed[] | undefined {
  if (!Array.isArray(given) || (given.length === 0 && whole.trim() !== '')) return undefined
  const parts = given.filter(isObject)
  const texts = parts.map((part) => part[field]).filter((text) => typeof text === 'string')
  if (texts.length < given.length) throw new TypeError(`a part of the answer has no ${field}`)
  if (lettersIn(texts.join('')) < lettersIn(whole) * (1 - MAY_LACK))
    throw new TypeError('the parts of the answer lack some of its text')
  const times = timesOf(parts, seconds)
  return times?.map((time, i) => ({ part: parts[i] as Part, text: texts[i] as string, ...time }))
}

function segmentOf({ part: { speaker }, text, start, end }: Timed): Segment {
  return { start, end, text, ...(typeof speaker === 'string' && speaker !== '' && { speaker }) }
}

/** A transcript is used without its words if they cannot be read. Its reader is informed. */
function wordsOf(given: unknown, whole: string, seconds: number): Word[] | undefined {
  try {
    const words = partsOf(given, 'word', whole, seconds)
    return words?.map(({ start, end, text }) => ({ start, end, text: text.trim() })).filter(({ text }) => text !== '')
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/**
 * Reads the body of `POST /audio/transcriptions` in any of the JSON formats. Drops segments that the model marks as
 * made up, and no other text.
 * @param seconds the length of the piece of audio, which shows whether times are in milliseconds and the like
 * @throws TypeError if it has none of these formats, or contradicts itself
 */
export function readAnswer(body: unknown, seconds: number): Answer {
  if (!isObject(body) || typeof body.text !== 'string') throw new TypeError('the answer has no text')
  const { language, text, segments, words } = body
  return {
    language: languageTag(language),
    text,
    segments: partsOf(segments, 'text', text, seconds)
      ?.filter(({ part }) => !isInvented(part))
      .map(segmentOf),
    words: wordsOf(words, text, seconds),
  }
}

/** The BCP 47 tag of the language that an endpoint names, as a name (`english`) or as a code. Null if it is neither. */
export function languageTag(answer: unknown): string | null {
  if (typeof answer !== 'string') return null
  const name = answer.trim().toLowerCase()
  if (!/^[a-z]{2,3}(-[a-z0-9]+)*$/.test(name)) return languageNamed(name) ?? null
  return canonicalTag(name) ?? null
}
