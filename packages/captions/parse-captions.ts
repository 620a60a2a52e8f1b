import { parseText } from 'media-captions'
import { CaptionsTooLongError, cleanLines, limits, type Segment, segment } from './clean.ts'

/** Cues with at most this gap belong to one running text, seconds. */
const ADJACENT = 0.1

/** Runs of spaces in a line: the library's search for an arrow takes time with the square of their length. */
const wideSpace = /[^\S\r\n]{2,}/g

/**
 * Reads captions, WebVTT or SRT, and cleans them: removes markup, decodes entities once, drops empty cues and the lines
 * that a rolling display repeats (YouTube's automatic captions roll). Unreadable parts are left out, and everything in
 * a cue after its eighth line or its 4,000th character.
 * @throws CaptionsTooLongError for more than 20,000 cues or 250,000 lines
 */
export async function parseCaptions(text: string): Promise<Segment[]> {
  assertBounded(text)
  const narrow = text.replace(wideSpace, ' ')
  const type = text.startsWith('WEBVTT') || text.startsWith('\uFEFFWEBVTT') ? 'vtt' : 'srt'
  const { cues } = await parseText(narrow, { type, strict: false, errors: false })
  const segments: Segment[] = []
  let shown: { lines: string[]; end: number } = { lines: [], end: Number.NEGATIVE_INFINITY }
  for (const cue of cues) {
    const lines = cleanLines(cue.text)
    const rolls = cue.startTime - shown.end <= ADJACENT
    const fresh = rolls ? withoutRepeated(lines, shown.lines) : lines
    if (lines.length > 0) shown = { lines, end: cue.endTime }
    if (fresh.length > 0) segments.push(segment(cue.startTime, cue.endTime, fresh.join(' ')))
  }
  return segments
}

/** Counts arrows before the text is parsed: every cue has one. */
function assertBounded(text: string): void {
  if (exceeds(text, /-->/g, limits.maxCues) || exceeds(text, /\n|\r(?!\n)/g, limits.maxLines)) {
    throw new CaptionsTooLongError()
  }
}

function exceeds(text: string, pattern: RegExp, most: number): boolean {
  let count = 0
  for (const _ of text.matchAll(pattern)) if (++count > most) return true
  return false
}

/** The lines of a cue without those at its top that repeat the bottom of the cue before. */
function withoutRepeated(lines: string[], before: string[]): string[] {
  for (let count = Math.min(lines.length, before.length); count > 0; count--) {
    const bottom = before.slice(-count)
    if (bottom.every((line, index) => line === lines[index])) return lines.slice(count)
  }
  return lines
}
