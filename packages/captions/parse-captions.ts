import { parseText } from 'media-captions'

/** A piece of a transcript; times in seconds from the start of the video. */
export type Segment = { start: number; end: number; text: string }

export type CaptionFormat = 'vtt' | 'srt'

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

/** Markup of WebVTT and SRT (`<i>`, `<c.red>`, `<00:00:01.000>`), and overrides of ASS (`{\an8}`). */
const markup = /<\/?(?:[a-z][^>]*|\d[\d:.]*)>|\{\\[^}]*\}/gi

/** Two cues this close belong to one running text, seconds. */
const ADJACENT = 0.1

/**
 * Reads captions and cleans them: markup away, entities decoded once, empty cues dropped, lines that a rolling display
 * repeats said once (NOTES on captions: YouTube's automatic ones). Whatever cannot be read is left out.
 */
export async function parseCaptions(text: string, format: CaptionFormat): Promise<Segment[]> {
  const { cues } = await parseText(text, { type: format, strict: false, errors: false })
  const segments: Segment[] = []
  let shown: { lines: string[]; end: number } = { lines: [], end: Number.NEGATIVE_INFINITY }
  for (const cue of cues) {
    const lines = linesOf(cue.text)
    const rolls = cue.startTime - shown.end <= ADJACENT
    const fresh = rolls ? withoutRepeated(lines, shown.lines) : lines
    if (lines.length > 0) shown = { lines, end: cue.endTime }
    if (fresh.length > 0) segments.push(segment(cue.startTime, cue.endTime, fresh.join(' ')))
  }
  return segments
}

/** The lines of a cue without those at its top that stood at the bottom of the cue before. */
function withoutRepeated(lines: string[], before: string[]): string[] {
  for (let count = Math.min(lines.length, before.length); count > 0; count--) {
    const top = lines.slice(0, count).join('\n')
    if (top === before.slice(-count).join('\n')) return lines.slice(count)
  }
  return lines
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => decodeEntities(line.replace(markup, '')).replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,6}));/gi, (whole, decimal, hex, name) => {
    if (name) return entities[String(name).toLowerCase()] ?? whole
    const point = decimal ? Number(decimal) : Number.parseInt(hex, 16)
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : ''
  })
}

const segment = (start: number, end: number, text: string): Segment => ({
  start: milliseconds(start),
  end: milliseconds(Math.max(start, end)),
  text,
})

const milliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000
