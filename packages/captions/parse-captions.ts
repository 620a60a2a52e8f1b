import { parseText } from 'media-captions'

/** A piece of a transcript; times in seconds from the start of the video. */
export type Segment = { start: number; end: number; text: string }

/**
 * What is read of one track: strangers write it, and the library reads it on the main thread. More is refused, for half
 * a transcript would pass as a whole one; a cue is cut, for a display has two to four lines and nobody reads more.
 */
const limits = { maxCues: 20_000, maxLines: 250_000, maxCueLines: 8, maxCueCharacters: 4_000 }

/** The track has more cues or lines than are read. */
export class CaptionsTooLongError extends Error {
  constructor() {
    super(`a caption track of more than ${limits.maxCues} cues or ${limits.maxLines} lines`)
    this.name = 'CaptionsTooLongError'
  }
}

const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  lrm: '',
  rlm: '',
}

/** Markup of WebVTT and SRT (`<i>`, `<c.red>`, `<00:00:01.000>`), and overrides of ASS (`{\an8}`). None holds another: the text is passed once. */
const markup = /<\/?(?:[a-z][^<>]*|\d[\d:.]*)>|\{\\[^{}]*\}/gi

/** All that is more than one plain space: most spaces need no work. */
const wideSpace = /\s\s+|[^\S ]/g

/** Two cues this close belong to one running text, seconds. */
const ADJACENT = 0.1

/**
 * Reads captions, WebVTT or SRT, and cleans them: markup away, entities decoded once, empty cues dropped, lines that a
 * rolling display repeats said once (YouTube's automatic captions roll). Whatever cannot be read is left out, and what
 * stands in a cue below its eighth line or behind its 4,000th character.
 * @throws CaptionsTooLongError for more than 20,000 cues or 250,000 lines
 */
export async function parseCaptions(text: string): Promise<Segment[]> {
  assertBounded(text)
  const type = text.startsWith('WEBVTT') || text.startsWith('\uFEFFWEBVTT') ? 'vtt' : 'srt'
  const { cues } = await parseText(text, { type, strict: false, errors: false })
  const segments: Segment[] = []
  let shown: { lines: string[]; end: number } = { lines: [], end: Number.NEGATIVE_INFINITY }
  for (const cue of cues) {
    const lines = cleanLines(cue.text.slice(0, limits.maxCueCharacters).split('\n', limits.maxCueLines))
    const rolls = cue.startTime - shown.end <= ADJACENT
    const fresh = rolls ? withoutRepeated(lines, shown.lines) : lines
    if (lines.length > 0) shown = { lines, end: cue.endTime }
    if (fresh.length > 0) segments.push(segment(cue.startTime, cue.endTime, fresh.join(' ')))
  }
  return segments
}

/** Every cue has an arrow, so arrows are counted before anything is made of the text. */
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

/** The lines of a cue without those at its top that stood at the bottom of the cue before. */
function withoutRepeated(lines: string[], before: string[]): string[] {
  for (let count = Math.min(lines.length, before.length); count > 0; count--) {
    const bottom = before.slice(-count)
    if (bottom.every((line, index) => line === lines[index])) return lines.slice(count)
  }
  return lines
}

const cleanLines = (lines: string[]): string[] =>
  lines
    .map((line) => decodeEntities(line.replace(markup, '')).replace(wideSpace, ' ').trim())
    .filter((line) => line !== '')

const decodeEntities = (text: string): string => text.replace(/&(?:#\d{1,7}|#x[\da-f]{1,6}|\w{1,6});/gi, decodeEntity)

function decodeEntity(entity: string): string {
  const name = entity.slice(1, -1).toLowerCase()
  if (!name.startsWith('#')) return entities[name] ?? entity
  const point = Number(name.startsWith('#x') ? `0${name.slice(1)}` : name.slice(1))
  return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : ''
}

const segment = (start: number, end: number, text: string): Segment => ({
  start: milliseconds(start),
  end: milliseconds(Math.max(start, end)),
  text,
})

const milliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000
