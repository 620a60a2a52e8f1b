/** A piece of TypeScript source that is not a comment. The text of a string or a plain template is its content. */
export type Token = { kind: 'word' | 'text' | 'regex' | 'sign'; text: string }

const pieces = {
  blank: /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y,
  word: /[\p{ID_Start}$_#@0-9][\p{ID_Continue}$]*/uy,
  text: /'((?:[^'\\\n]|\\[\s\S])*)'|"((?:[^"\\\n]|\\[\s\S])*)"/y,
  regex: /\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y,
}

/**
 * After one of these, a slash begins a regular expression. After any other word, text or closing bracket it divides.
 */
const wordsBeforeRegex = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'do',
  'else',
  'void',
  'delete',
  'await',
  'yield',
])

function divides(before: Token | undefined): boolean {
  if (!before) return false
  if (before.kind === 'word') return !wordsBeforeRegex.has(before.text)
  return before.kind !== 'sign' || before.text === ')' || before.text === ']' || before.text === '}'
}

/**
 * Splits source into tokens. Comments and blanks are left out, so the contents of a comment or a string never count as
 * code. A template with substitutions becomes its substitutions' tokens, between two backtick signs.
 */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = []
  /** For each open template, the number of open braces inside its substitution. */
  const templates: number[] = []
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(source)
    if (found) at += found[0].length
    return found
  }
  /** Reads on in a template's own text: to its end, or to the beginning of its next substitution. */
  const readTemplate = (): void => {
    const from = at
    while (at < source.length && source[at] !== '`' && !source.startsWith('${', at)) at += source[at] === '\\' ? 2 : 1
    const text = source.slice(from, at)
    if (source[at] === '`') {
      templates.pop()
      if (source[from - 1] === '`') tokens.push({ kind: 'text', text })
      else tokens.push({ kind: 'sign', text: '`' })
      at += 1
      return
    }
    if (source[from - 1] === '`') tokens.push({ kind: 'sign', text: '`' })
    templates[templates.length - 1] = 0
    at += 2
  }
  while (at < source.length) {
    if (take(pieces.blank)) continue
    const text = take(pieces.text)
    if (text) tokens.push({ kind: 'text', text: text[1] ?? text[2] ?? '' })
    if (text) continue
    const word = take(pieces.word)
    if (word) tokens.push({ kind: 'word', text: word[0] })
    if (word) continue
    const regex = divides(tokens.at(-1)) ? null : take(pieces.regex)
    if (regex) tokens.push({ kind: 'regex', text: regex[0] })
    if (regex) continue
    const sign = source[at] ?? ''
    at += 1
    const open = templates.at(-1)
    if (sign === '`') {
      templates.push(0)
      readTemplate()
    } else if (sign === '}' && open === 0) readTemplate()
    else {
      if (open !== undefined && (sign === '{' || sign === '}'))
        templates[templates.length - 1] = open + (sign === '{' ? 1 : -1)
      tokens.push({ kind: 'sign', text: sign })
    }
  }
  return tokens
}

/** Whether these tokens follow one another somewhere, whatever their texts: `['process', '.', 'env']`. */
export function stands(tokens: readonly Token[], sequence: readonly string[]): boolean {
  return tokens.some((_, from) =>
    sequence.every((text, i) => tokens[from + i]?.text === text && tokens[from + i]?.kind !== 'text'),
  )
}
