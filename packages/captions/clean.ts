/** A piece of a transcript; times in seconds from the start of the video. */
export type Segment = { start: number; end: number; text: string }

/**
 * Limits of one track, because tracks are untrusted and parsed on the main thread. A track with more cues or lines is
 * refused: half a transcript would pass as a whole one. A longer cue is cut: no display shows more than four lines.
 */
export const limits = { maxCues: 20_000, maxLines: 250_000, maxCueLines: 8, maxCueCharacters: 4_000 }

/** The track has too many cues or lines. */
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

/** Markup of WebVTT and SRT (`<i>`, `<c.red>`, `<00:00:01.000>`), overrides of ASS (`{\an8}`). Matches in one pass. */
const markup = /<\/?(?:[a-z][^<>]*|\d[\d:.]*)>|\{\\[^{}]*\}/gi

/** White space except a single plain space: most spaces need no work. */
const wideSpace = /\s\s+|[^\S ]/g

/** The lines of a cue without markup, entities decoded once, empty lines dropped; cut at the limits. */
export const cleanLines = (cue: string): string[] =>
  cue
    .slice(0, limits.maxCueCharacters)
    .split('\n', limits.maxCueLines)
    .map((line) => decodeEntities(line.replace(markup, '')).replace(wideSpace, ' ').trim())
    .filter((line) => line !== '')

export const decodeEntities = (text: string): string =>
  text.replace(/&(?:#\d{1,7}|#x[\da-f]{1,6}|\w{1,6});/gi, decodeEntity)

function decodeEntity(entity: string): string {
  const name = entity.slice(1, -1).toLowerCase()
  if (!name.startsWith('#')) return entities[name] ?? entity
  const point = Number(name.startsWith('#x') ? `0${name.slice(1)}` : name.slice(1))
  return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : ''
}

/** Times to the millisecond; a cue that ends before it begins ends where it begins. */
export const segment = (start: number, end: number, text: string): Segment => ({
  start: milliseconds(start),
  end: milliseconds(Math.max(start, end)),
  text,
})

const milliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000
