import { type Segment, type TimedWord, type Unit, unitsOf } from './units.ts'

/** The most columns of a line, and seconds of a cue. */
const LINE = 42
const LONGEST = 7

/** A pause of this many seconds ends a cue. A short one is a place to divide a long sentence. */
const LONG_PAUSE = 1
const SHORT_PAUSE = 0.3

type Cue = { start: number; end: number; text: string }
type Units = readonly Unit[]

const sentenceEnd = /[.!?…。！？؟।]["'”’»)\]」』]*$/u
const clauseEnd = /[,;:،、，；：–—]["'”’»)\]」』]*$/u
const title = /^(?:mrs?|ms|dr|prof|st|vs|jr|sr|no|\p{L})\.$/iu

/**
 * Speech as subtitles: cues of at most two lines of 42 columns and 7 s, in order, not overlapping. They end with
 * sentences. A sentence that is too long is divided at commas and pauses, else in the middle. The cues contain all of
 * the text.
 * @param words of the text, in order; without any, each segment is divided by itself, as if spoken evenly
 */
export function speechCues(segments: readonly Segment[], words: readonly TimedWord[]): Cue[] {
  const sentences = sentencesOf(unitsOf(segments, words, LINE))
  return timed(joined(sentences).flatMap(divided))
}

const mustPart = (before: Unit, after: Unit): boolean => after.isFirst || after.start - before.end >= LONG_PAUSE

const endsSentence = ({ text }: Unit): boolean => sentenceEnd.test(text) && !title.test(text)

function sentencesOf(units: Units): Unit[][] {
  const sentences: Unit[][] = []
  let before: Unit | undefined
  for (const unit of units) {
    if (before === undefined || endsSentence(before) || mustPart(before, unit)) sentences.push([])
    sentences.at(-1)?.push(unit)
    before = unit
  }
  return sentences
}

/** Joins consecutive short sentences in one cue. */
function joined(sentences: readonly Units[]): Units[] {
  const groups: Units[] = []
  for (const sentence of sentences) {
    const before = groups.at(-1)
    const [last, first] = [before?.at(-1), sentence[0]]
    const both = before === undefined ? sentence : [...before, ...sentence]
    if (last && first && !mustPart(last, first) && fits(both)) groups[groups.length - 1] = both
    else groups.push(sentence)
  }
  return groups
}

function divided(units: Units): Units[] {
  if (units.length < 2 || fits(units)) return [units]
  const at = bestBreak(units)
  return [...divided(units.slice(0, at)), ...divided(units.slice(at))]
}

/** The comma or pause nearest to the middle, or the middle if there is none near it. */
function bestBreak(units: Units): number {
  const middle = Math.floor(units.length / 2)
  for (let away = 0; away <= units.length / 4; away++)
    for (const at of [middle + away, middle - away]) if (mayPart(units[at - 1], units[at])) return at
  return middle
}

const mayPart = (before: Unit | undefined, after: Unit | undefined): boolean =>
  before !== undefined &&
  after !== undefined &&
  (clauseEnd.test(before.text) || after.start - before.end >= SHORT_PAUSE)

function fits(units: Units): boolean {
  const [first, last] = [units[0], units.at(-1)]
  if (first === undefined || last === undefined || last.end - first.start > LONGEST) return false
  const second = lineEnd(units, 0)
  return lineEnd(units, second) === units.length
}

/** The position after the last unit that fits in a line. */
function lineEnd(units: Units, from: number): number {
  let width = 0
  let at = from
  for (; at < units.length; at++) {
    const { width: own, isSpaced } = units[at] as Unit
    width += own + (isSpaced && at > from ? 1 : 0)
    if (width > LINE) return at
  }
  return at
}

/** One line if it fits, else two of about equal length. The first one preferably ends at a comma. */
function linesOf(units: Units): string {
  if (lineEnd(units, 0) === units.length) return lineOf(units)
  const whole = lineOf(units).length
  let best = { cost: Number.POSITIVE_INFINITY, text: lineOf(units) }
  for (let at = lineEnd(units, 0); at > 0 && lineEnd(units, at) === units.length; at--) {
    const first = lineOf(units.slice(0, at))
    const cost = Math.abs(whole - 2 * first.length) - (mayPart(units[at - 1], units[at]) ? 10 : 0)
    if (cost < best.cost) best = { cost, text: `${first}\n${lineOf(units.slice(at))}` }
  }
  return best.text
}

const lineOf = (units: Units): string =>
  units.map(({ text, isSpaced }, i) => (isSpaced && i > 0 ? ` ${text}` : text)).join('')

/** A cue is shown while its words are spoken, and for at least a millisecond. */
function timed(groups: readonly Units[]): Cue[] {
  let over = 0
  return groups.map((units, i) => {
    const start = Math.max(over, units[0]?.start ?? 0)
    const next = groups[i + 1]?.[0]?.start ?? Number.POSITIVE_INFINITY
    const end = Math.max(start + 0.001, Math.min(units.at(-1)?.end ?? start, start + LONGEST, next))
    over = end
    return { start, end, text: linesOf(units) }
  })
}
