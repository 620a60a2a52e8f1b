/** A cue of WebVTT or SubRip, with its raw text; times in seconds. */
export type Cue = { start: number; end: number; text: string }

type OpenCue = { start: number | undefined; end: number | undefined; lines: string[] }

/**
 * Reads the cues of WebVTT and of SubRip. As in the WebVTT standard, a line with times begins a cue anywhere. Accepts
 * what is found in the field: hours of any length, a comma or a point before a fraction of any length, no space at
 * the arrow, no empty lines, no numbers. In SubRip an empty line is part of the text, because nothing marks a text's
 * end. In WebVTT it ends the cue, and what follows without times is a note, a style or a name.
 */
export function parseCues(text: string, isVtt: boolean): Cue[] {
  const lines = text.split(/\r\n?|\n/)
  const isNumbered = isNumber(lines[lines.findIndex((line) => timesIn(line)) - 1])
  const cues: OpenCue[] = []
  let cue: OpenCue | undefined
  for (const [index, line] of lines.entries()) {
    const times = timesIn(line)
    if (times) {
      // this line is the number of the next cue, if no empty line separates it from the previous text
      if (isNumbered && cue && isNumber(lines[index - 1])) cue.lines.pop()
      cue = { ...times, lines: isVtt || times.rest === '' ? [] : [times.rest] }
      cues.push(cue)
    } else if (isVtt && line.trim() === '') cue = undefined
    else if (cue && line.trim() !== '') cue.lines.push(line)
  }
  return timed(cues)
}

const isNumber = (line: string | undefined): boolean => line !== undefined && /^\s*\d+\s*$/.test(line)

const clock = /^(?:(\d+):)?(\d+):(\d+)(?:[.,](\d+))?$/
/** Looks like a time, readable or not. */
const likeTime = /^-?\d[\d:.,]*:[\d:.,]*$/
/** Parts of a time line after the times that are not text: settings (`align:start`) and coordinates (`X1:117`). */
const settings = /^(?:\s*[a-z][a-z\d-]*:\S*)*\s*$/i

type Times = { start: number | undefined; end: number | undefined; rest: string }

/** The readable times of a cue in seconds, and the text after them. Undefined for a line of text. */
function timesIn(line: string): Times | undefined {
  const arrow = line.indexOf('-->')
  if (arrow === -1) return undefined
  const from = line.slice(0, arrow).replaceAll(/\s/g, '')
  const [, to = '', behind = ''] = /^\s*(\S*)(.*)$/.exec(line.slice(arrow + 3)) ?? []
  if (!likeTime.test(from) || (to !== '' && !likeTime.test(to))) return undefined
  return { start: secondsOf(from), end: secondsOf(to), rest: settings.test(behind) ? '' : behind }
}

function secondsOf(time: string): number | undefined {
  if (time.startsWith('-')) return 0
  const [, hours = '0', minutes, seconds, fraction = '0'] = clock.exec(time) ?? []
  if (seconds === undefined) return undefined
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(`${seconds}.${fraction}`)
}

/** Places a cue with unreadable times between its neighbours, because its text is spoken. */
function timed(cues: readonly OpenCue[]): Cue[] {
  let over = 0
  return cues.map(({ start = over, end, lines }, index) => {
    const until = end ?? cues[index + 1]?.start ?? start
    over = Math.max(start, until)
    return { start, end: until, text: lines.join('\n') }
  })
}
