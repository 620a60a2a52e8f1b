import type { Segment } from '../engine.ts'
import { languageTag } from './language-tag.ts'

/** What an endpoint said about one piece of audio; times in seconds from the start of the piece. */
export type Answer = {
  language: string | null
  text: string
  /** Undefined when the answer has no times. */
  segments: Segment[] | undefined
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Whisper's own measure of text it made up: silence it was unsure about, and text that loops. */
function isInvented(segment: Record<string, unknown>): boolean {
  const over = (name: string, limit: number) => typeof segment[name] === 'number' && segment[name] > limit
  const unsure = typeof segment.avg_logprob === 'number' && segment.avg_logprob < -1
  return (over('no_speech_prob', 0.6) && unsure) || over('compression_ratio', 2.4)
}

function segmentOf(value: unknown): Segment {
  if (!isObject(value)) throw new TypeError('a segment is not an object')
  const { start, end, text, speaker } = value
  if (!Number.isFinite(start) || !Number.isFinite(end) || typeof text !== 'string')
    throw new TypeError('a segment lacks start, end or text')
  const named = typeof speaker === 'string' && speaker !== '' ? { speaker } : {}
  return { start: start as number, end: end as number, text, ...named }
}

/**
 * Reads the body of `POST /audio/transcriptions` in any of the JSON formats; segments that the model marks as made up
 * are dropped.
 * @throws TypeError when it is none of them
 */
export function readAnswer(body: unknown): Answer {
  if (!isObject(body) || typeof body.text !== 'string') throw new TypeError('the answer has no text')
  const { language, text, segments } = body
  // text without a single segment means that the endpoint does not give times
  const timed = Array.isArray(segments) && (segments.length > 0 || text.trim() === '')
  return {
    language: languageTag(language),
    text,
    segments: timed ? segments.filter((s) => !isObject(s) || !isInvented(s)).map(segmentOf) : undefined,
  }
}
