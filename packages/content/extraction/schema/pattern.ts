import { RE2JS } from 're2js'

/** The longest pattern, in characters. Those that Zod and Valibot write for addresses and emoji have up to 800. */
export const MAX_PATTERN_LENGTH = 1000

const lookAround =
  'has look-around: write each condition as a pattern of its own in allOf, and what must not match in not'
const backReference = 'has a back-reference: write the alternatives out'
const invalid = 'is not a regular expression of ECMAScript that is supported'

/** A matcher in linear time, whatever the pattern. */
export type Pattern = { test(text: string): boolean; toString(): string }

/**
 * Compiles a pattern of JSON Schema (ECMAScript syntax, matches anywhere) for matching without backtracking.
 * @throws Error if the pattern is too long or invalid, or needs look-around or back-references; says what to write
 *   instead
 */
export function compilePattern(source: string): Pattern {
  if (source.length > MAX_PATTERN_LENGTH) throw new Error(`is longer than ${MAX_PATTERN_LENGTH} characters`)
  const given = [...source.matchAll(pieces)].map(([piece]) => piece)
  if (given.includes('\\k')) throw new Error(backReference)
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source))
  } catch (cause) {
    throw new Error(whyUnsupported(source, given), { cause })
  }
}

function whyUnsupported(source: string, given: readonly string[]): string {
  if (/\(\?<?[=!]/.test(source)) return lookAround
  return given.some((piece) => /^\\[1-9]/.test(piece)) ? backReference : invalid
}

/**
 * Estimates how many instructions a pattern compiles to, with repetitions expanded. It does not compile the pattern:
 * for a few hundred hostile characters that alone can take a second.
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

/** Time that re2js takes to parse a Unicode class such as `\p{L}`, microseconds; then with letter case ignored. */
const PROPERTY_COST = 100
const FOLDED_PROPERTY_COST = 500
/** Time for each character of a range with letter case ignored, microseconds: re2js looks up its other cases. */
const FOLDED_CHARACTER_COST = 0.2

/** The first and last characters that have another case. re2js looks up no others. */
const FIRST_WITH_CASE = 0x41
const LAST_WITH_CASE = 0x1e943

/**
 * Estimates the time to parse the character classes of a pattern, microseconds, without parsing them. A class counts
 * as one instruction, however many characters it has, but `(?i)[A-\u{1E900}]` alone takes 25 ms.
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

/** A Unicode class, a numeric escape, another escape, or one character. */
const characters = /\\p(?:\{[^}]*\}|.)|\\[ux]\{[^}]*\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\.|./gisu

/** The code point of a character, escaped or not. If unknown, that of the last one with a case. */
function codeOf(character: string): number {
  const hex = /^\\[ux]\{?([\da-f]+)\}?$/i.exec(character)?.[1]
  if (hex !== undefined) return Number.parseInt(hex, 16)
  if (/^\\[ux]\{/i.test(character)) return LAST_WITH_CASE
  return character.replace(/^\\(?=.)/s, '').codePointAt(0) ?? 0
}
