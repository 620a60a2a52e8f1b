import { RE2JS } from 're2js'

/** The longest pattern, in characters. */
export const MAX_PATTERN_LENGTH = 500

const unsupported = 'is not a regular expression without look-around and back-references'

/** A matcher that takes time in proportion to the text, whatever the pattern. */
export type Pattern = { test(text: string): boolean; toString(): string }

/**
 * Compiles a pattern as JSON Schema has it (an ECMAScript one, that may match anywhere), without backtracking.
 * @throws Error where the pattern is too long, is none, or needs look-around or back-references
 */
export function compilePattern(source: string): Pattern {
  if (source.length > MAX_PATTERN_LENGTH) throw new Error(`is longer than ${MAX_PATTERN_LENGTH} characters`)
  const isNamed = [...source.matchAll(pieces)].some(([piece]) => piece === '\\k')
  if (isNamed) throw new Error(unsupported)
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source))
  } catch (cause) {
    throw new Error(unsupported, { cause })
  }
}

/**
 * About how many instructions a pattern becomes when it is compiled, in which repetitions are written out. Told without
 * compiling: that alone takes a second for what a few hundred characters can ask for.
 */
export function programSize(source: string): number {
  const groups: { before: number; last: number }[] = [{ before: 0, last: 0 }]
  const top = () => groups.at(-1) ?? { before: 0, last: 0 }
  const atom = (size: number) => {
    const group = top()
    group.before += group.last
    group.last = size
  }
  for (const [piece, least, most] of source.matchAll(pieces)) {
    if (least !== undefined) top().last *= Math.max(Number(least), Number(most || 0)) + 1
    else if (piece === '(') groups.push({ before: 0, last: 0 })
    else if (piece === ')' && groups.length > 1) {
      const { before, last } = groups.pop() ?? top()
      atom(before + last + 2)
    } else atom(1)
  }
  return groups.reduce((sum, { before, last }) => sum + before + last, 0)
}

/** An escape, a class, a repetition, or one character. */
const pieces = /\\[pPxu]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|[^\\\]])*\]|\{(\d+)(?:,(\d*))?\}|./gs

/** What re2js takes to read a class of Unicode such as `\p{L}`, microseconds; and where letter case is ignored. */
const PROPERTY_COST = 100
const FOLDED_PROPERTY_COST = 500
/** What it takes for each character of a range where letter case is ignored: it looks for the other cases of each. */
const FOLDED_CHARACTER_COST = 0.2

/** Between these characters lie all that have another case; re2js looks at no others. */
const FIRST_WITH_CASE = 0x41
const LAST_WITH_CASE = 0x1e943

/**
 * About how long the character classes of a pattern take to be read, microseconds. Told without reading them: a class
 * counts as one instruction, however many characters it stands for, but `(?i)[A-\u{1E900}]` alone takes 25 ms.
 */
export function classCost(source: string): number {
  const foldsCase = /\(\?[a-z-]*i/i.test(source)
  const found = [...source.matchAll(characters)].map(([character]) => character)
  return found.reduce((cost, character, at) => {
    if (/^\\p/i.test(character)) return cost + (foldsCase ? FOLDED_PROPERTY_COST : PROPERTY_COST)
    const [first, last] = [found[at - 1], found[at + 1]]
    if (!foldsCase || character !== '-' || first === undefined || last === undefined) return cost
    const length = Math.min(codeOf(last), LAST_WITH_CASE) - Math.max(codeOf(first), FIRST_WITH_CASE)
    return cost + Math.max(0, length) * FOLDED_CHARACTER_COST
  }, 0)
}

/** A class of Unicode, a character as its number, an escape, or one character. */
const characters = /\\p(?:\{[^}]*\}|.)|\\[ux]\{[^}]*\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\.|./gisu

/** The number of a character, however it is written; that of the last one where it cannot be told. */
function codeOf(character: string): number {
  const hex = /^\\[ux]\{?([\da-f]+)\}?$/i.exec(character)?.[1]
  if (hex !== undefined) return Number.parseInt(hex, 16)
  if (/^\\[ux]\{/i.test(character)) return LAST_WITH_CASE
  return character.replace(/^\\(?=.)/s, '').codePointAt(0) ?? 0
}
