/** One cue as it stands in the file, markup included; times in seconds from the start of the video. */
export type Cue = { start: number; end: number; lines: string[] }

export type CueLimits = {
  /** Times in one track; one more ends the reading with TooManyCuesError. */
  maxCues: number
  /** Lines kept of a cue; those below are cut. */
  maxLines: number
  /** Characters kept of a cue, markup included; what follows is cut. */
  maxCharacters: number
}

/** The track has more cues than are read. */
export class TooManyCuesError extends Error {
  constructor(maxCues: number) {
    super(`a caption track of more than ${maxCues} cues`)
    this.name = 'TooManyCuesError'
  }
}

const ARROW = '-->'
/** No more than this is looked at on either side of an arrow. */
const TIME_CHARACTERS = 48
const time = String.raw`(?:(\d{1,4}):)?(\d{1,2}):(\d{2})(?:[.,](\d{1,3}))?`
const before = new RegExp(String.raw`(?:^|[\r\n])[ \t\uFEFF]{0,4}${time}[ \t]{0,8}$`)
const after = new RegExp(String.raw`^[ \t]{0,8}${time}(?!\S)`)

/**
 * The cues of a WebVTT or SRT text, in its order: the times around each arrow and the lines up to the next empty one.
 * Everything else (headers, numbers, notes, styles, settings) is passed over. Reads the text once, however long its
 * lines are: strangers write it.
 * @throws TooManyCuesError
 */
export function* readCues(text: string, { maxCues, maxLines, maxCharacters }: CueLimits): Generator<Cue> {
  let at = text.indexOf(ARROW)
  for (let arrows = 0; at >= 0; arrows++) {
    if (arrows === maxCues) throw new TooManyCuesError(maxCues)
    const times = timesAround(text, at)
    let next = at + ARROW.length
    if (times) {
      const body = linesFrom(text, endOfLine(text, next), { maxLines, maxCharacters })
      next = body.end
      yield { ...times, lines: body.lines }
    }
    at = text.indexOf(ARROW, next)
  }
}

/** The lines of a cue, from the end of its line of times to an empty line or the times of another cue. */
function linesFrom(text: string, from: number, { maxLines, maxCharacters }: Omit<CueLimits, 'maxCues'>) {
  const lines: string[] = []
  let left = maxCharacters
  let end = from
  while (lines.length < maxLines && left > 0) {
    const begin = afterBreak(text, end)
    const lineEnd = endOfLine(text, begin)
    if (lineEnd <= begin) break
    const line = text.slice(begin, Math.min(lineEnd, begin + left))
    const arrow = line.indexOf(ARROW)
    if (arrow >= 0 && timesAround(text, begin + arrow)) break
    lines.push(line)
    left -= line.length
    end = lineEnd
  }
  return { lines, end }
}

function timesAround(text: string, arrow: number): { start: number; end: number } | undefined {
  const start = before.exec(text.slice(Math.max(0, arrow - TIME_CHARACTERS), arrow))
  const from = arrow + ARROW.length
  const end = start && after.exec(text.slice(from, from + TIME_CHARACTERS))
  return end ? { start: secondsOf(start), end: secondsOf(end) } : undefined
}

const secondsOf = ([, hours = '0', minutes, seconds, fraction = '0']: RegExpExecArray): number =>
  Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(`0.${fraction}`)

const lineBreak = /[\r\n]/g

function endOfLine(text: string, from: number): number {
  lineBreak.lastIndex = from
  return lineBreak.exec(text)?.index ?? text.length
}

const afterBreak = (text: string, at: number): number => (text.startsWith('\r\n', at) ? at + 2 : at + 1)
