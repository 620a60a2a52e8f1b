import { CaptionsTooLongError, cleanLines, limits, type Segment, segment, withoutLayers, writings } from './clean.ts'

/** Override blocks: `{\i1}`, `{\p1\pos(0,0)}`, also notes. */
const overrides = /\{([^{}]*)\}/g

/**
 * Reads subtitles in ASS or SSA: the text of the dialogue lines, without comments, styles and drawings, ordered by
 * time.
 * @throws CaptionsTooLongError for more than 20,000 lines of dialogue
 */
export function parseAss(text: string): Segment[] {
  const lines = text.split(/\r\n?|\n/)
  const fields = fieldsOf(lines)
  const dialogues = lines.filter((line) => line.startsWith('Dialogue:'))
  if (dialogues.length > limits.maxCues) throw new CaptionsTooLongError()
  const segments = dialogues.flatMap((line) => {
    const values = line.slice(line.indexOf(':') + 1).split(',')
    const fieldOf = (name: string): string => values[fields.indexOf(name)]?.trim() ?? ''
    const words = values.slice(fields.indexOf('Text')).join(',')
    const said = cleanLines(saidIn(words), writings.withEntities).join(' ')
    const [start, end] = [secondsOf(fieldOf('Start')), secondsOf(fieldOf('End'))]
    return said === '' || Number.isNaN(start) ? [] : [segment(start, end, said)]
  })
  return withoutLayers(segments).toSorted((a, b) => a.start - b.start)
}

/** The names of a line's fields, in order. The text is the last and may contain commas. */
function fieldsOf(lines: readonly string[]): string[] {
  const events = lines.findIndex((line) => /^\[Events\]/i.test(line.trim()))
  const format = lines.find((line, index) => index > events && line.startsWith('Format:'))
  const usual = 'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text'
  return (format ?? usual)
    .slice('Format:'.length)
    .split(',')
    .map((name) => name.trim())
}

/** A text without overrides and drawings, with its line breaks and hard spaces decoded. */
function saidIn(text: string): string {
  let isDrawing = false
  let said = ''
  let from = 0
  for (const { 0: block, 1: tags = '', index } of text.matchAll(overrides)) {
    if (!isDrawing) said += text.slice(from, index)
    from = index + block.length
    const scale = [...tags.matchAll(/\\p(\d+)/g)].at(-1)?.[1]
    if (scale !== undefined) isDrawing = Number(scale) > 0
  }
  if (!isDrawing) said += text.slice(from)
  return said.replaceAll(/\\[Nn]/g, '\n').replaceAll('\\h', ' ')
}

/** `1:02:03.45`; NaN for anything else. */
function secondsOf(time: string): number {
  const [, hours, minutes, seconds] = /^(\d+):(\d{1,2}):(\d{1,2}(?:\.\d+)?)$/.exec(time) ?? []
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}
