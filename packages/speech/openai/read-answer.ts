import type { Segment, Word } from '../engine.ts'
import { languageTag } from './language-tag.ts'

/** An endpoint's answer for one piece of audio; times in seconds from the start of the piece. */
export type Answer = {
  language: string | null
  text: string
  /** Undefined when the answer has no times. */
  segments: Segment[] | undefined
  /** Undefined when the answer has none. */
  words: Word[] | undefined
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Whisper's own signs of made-up text: probable silence with low confidence, or text that repeats itself. */
function isInvented(segment: Record<string, unknown>): boolean {
  const over = (name: string, limit: number) => typeof segment[name] === 'number' && segment[name] > limit
  const unsure = typeof segment.avg_logprob === 'number' && segment.avg_logprob < -1
  return (over('no_speech_prob', 0.6) && unsure) || over('compression_ratio', 2.4)
}

const isTime = (value: unknown): value is number => typeof value === 'number' && value >= 0

function segmentOf(value: unknown): Segment {
  if (!isObject(value)) throw new TypeError('a segment is not an object')
  const { start, end, text, speaker } = value
  if (!Number.isFinite(start) || !Number.isFinite(end) || typeof text !== 'string')
    throw new TypeError('a segment lacks start, end or text')
  const named = typeof speaker === 'string' && speaker !== '' ? { speaker } : {}
  return { start: start as number, end: end as number, text, ...named }
}

function wordOf(value: unknown): Word[] {
  if (!isObject(value)) return []
  const { start, end, word } = value
  if (!isTime(start) || !isTime(end) || typeof word !== 'string' || word.trim() === '') return []
  return [{ start, end: Math.max(start, end), text: word.trim() }]
}

/**
 * Reads the body of `POST /audio/transcriptions` in any of the JSON formats; segments that the model marks as made up
 * are dropped.
 * @throws TypeError when it is none of them
 */
export function readAnswer(body: unknown): Answer {
  if (!isObject(body) || typeof body.text !== 'string') throw new TypeError('the answer has no text')
  const { language, text, segments, words } = body
  // text without any segment means that the endpoint gives no times
  const timed = Array.isArray(segments) && (segments.length > 0 || text.trim() === '')
  return {
    language: languageTag(language),
    text,
    segments: timed ? segments.filter((s) => !isObject(s) || !isInvented(s)).map(segmentOf) : undefined,
    words: Array.isArray(words) ? words.flatMap(wordOf) : undefined,
  }
}
