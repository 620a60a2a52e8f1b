import { CaptionsTooLongError, cleanLines, limits, type Segment, segment, withoutLayers, writings } from './clean.ts'
import { parseCues } from './parse-cues.ts'

/** Cues with at most this gap belong to one running text, seconds. */
const ADJACENT = 0.1
/** A rolling display shows a finished line alone for less than this before it moves up, seconds. */
const MOMENT = 0.1

/** Lines that a display shows at once. */
const MOST_SHOWN = 8

/** Times inside a text. Only recognised speech has them, and its display rolls. */
const inlineTimes = /<\d[\d:.]*>/

type Shown = Segment & { lines: string[] }

/**
 * Reads captions, WebVTT or SubRip, and cleans them: removes markup, decodes entities once, drops empty cues, and
 * drops the lines that a rolling display repeats (YouTube's automatic captions roll). Unreadable parts are left out.
 * @throws CaptionsTooLongError for more than 20,000 cues or 250,000 lines
 */
export async function parseCaptions(text: string): Promise<Segment[]> {
  assertBounded(text)
  const isVtt = /^\s*WEBVTT(?!\S)/.test(text)
  const writing = isVtt ? writings.webVtt : writings.subRip
  const shown = parseCues(text, isVtt).map(({ text, ...times }): Shown => {
    const lines = cleanLines(text, writing)
    return { ...times, lines, text: lines.join(' ') }
  })
  return withoutRolling(withoutLayers(shown.filter(({ lines }) => lines.length > 0)), isVtt && inlineTimes.test(text))
}

/** @param rolls whether the track is known to roll; otherwise a cue that only repeats the last one is kept */
function withoutRolling(cues: readonly Shown[], rolls: boolean): Segment[] {
  return cues.flatMap((cue, index) => {
    const before = cues[index - 1]
    const follows = before !== undefined && cue.start - before.end <= ADJACENT
    const fresh = follows ? withoutRepeated(cue.lines, before.lines) : cue.lines
    const isSaidAgain = fresh.length === 0 && !rolls && cue.end - cue.start >= MOMENT
    const said = isSaidAgain ? cue.lines : fresh
    return said.length === 0 ? [] : [segment(cue.start, cue.end, said.join(' '))]
  })
}

/** Checks the limits before the text is parsed, by counting arrows: every cue has one. */
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

/** The lines of a cue, without those at its top that repeat the bottom of the previous cue. */
function withoutRepeated(lines: string[], before: string[]): string[] {
  for (let count = Math.min(lines.length, before.length, MOST_SHOWN); count > 0; count--) {
    const bottom = before.slice(-count)
    if (bottom.every((line, index) => line === lines[index])) return lines.slice(count)
  }
  return lines
}
