import { decodeHTML, decodeHTMLStrict } from 'entities'
import { milliseconds } from './milliseconds.ts'

/** A piece of a transcript; times in seconds from the start of the video. */
export type Segment = { start: number; end: number; text: string }

/**
 * Limits of one track, because tracks are untrusted and parsed on the main thread. A track with more cues or lines is
 * refused: half a transcript would pass for a whole one.
 */
export const limits = { maxCues: 20_000, maxLines: 250_000 }

/** The track has too many cues or lines. */
export class CaptionsTooLongError extends Error {
  constructor() {
    super(`a caption track of more than ${limits.maxCues} cues or ${limits.maxLines} lines`)
    this.name = 'CaptionsTooLongError'
  }
}

/** Override blocks of ASS such as `{\an8}`, which occur in other formats too. */
const overrides = String.raw`\{\\[^{}]*\}`

/** Markup of WebVTT: `<i>`, `<c.red>`, `<00:00:01.000>`. Matches in one pass. */
const vttMarkup = new RegExp(String.raw`</?(?:[a-z][^<>]*|\d[\d:.]*)>|${overrides}`, 'gi')

/** Tags that players of SubRip obey. Anything else in angle brackets is text. */
const subRipMarkup = new RegExp(
  String.raw`</?(?:[bius]|em|strong)\s*>|</?(?:font|span|c|v|lang|ruby|rt)(?:[\s.][^<>]*)?>|${overrides}`,
  'gi',
)

/** Invisible characters without meaning. The joiners of emoji and of many scripts are not among them. */
const placeholders = /[\u200b\u2060\ufeff]/g

const nothingVisible = /^[\s\p{Cf}\p{Default_Ignorable_Code_Point}]*$/u

/** White space except a single plain space: most spaces need no work. */
const wideSpace = /\s\s+|[^\S ]/g

/** How a format writes text: returns a line without its markup, with entities decoded once. */
export type Writing = (line: string) => string

export const writings = {
  webVtt: (line) => decodeHTML(line.replace(vttMarkup, '')),
  subRip: (line) => decodeHTMLStrict(line.replace(subRipMarkup, '')),
  /** Text with entities but no markup: YouTube's json3, and ASS without its overrides. */
  withEntities: (line) => decodeHTMLStrict(line),
  plain: (line) => line,
} satisfies Record<string, Writing>

/** The lines of a cue that show anything, without markup and invisible characters. */
export const cleanLines = (cue: string, writing: Writing): string[] =>
  cue
    .split('\n')
    .map((line) => writing(line).replace(placeholders, '').replace(wideSpace, ' ').trim())
    .filter((line) => !nothingVisible.test(line))

/** Rounds times to the millisecond. A cue that ends before it begins ends where it begins. */
export const segment = (start: number, end: number, text: string): Segment => ({
  start: milliseconds(start),
  end: milliseconds(Math.max(start, end)),
  text,
})

/** Keeps a line once if a styled track lists it for each of its layers, such as shadow and outline. */
export function withoutLayers<T extends Segment>(segments: readonly T[]): T[] {
  const keyOf = ({ start, end, text }: T): string => `${start} ${end} ${text}`
  return [...new Map(segments.map((one) => [keyOf(one), one])).values()]
}
