import { RE2JS } from 're2js'

/** The longest pattern, in characters. */
const MAX_PATTERN_LENGTH = 500

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
