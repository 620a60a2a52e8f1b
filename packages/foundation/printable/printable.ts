/**
 * Characters that control a terminal or are invisible: control characters, direction marks, zero-width characters,
 * tags, lone surrogates. The two joiners are not among them: words of many languages need them.
 */
const unseen = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}/gu

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')

/**
 * Untrusted text for a person or a model, on one line: invisible characters are written as `\uXXXX`. JSON keeps its
 * meaning.
 */
export const printable = (text: string): string => text.replace(unseen, escaped)

/** Untrusted text in several lines: invisible characters are written as `\uXXXX`. The line breaks must be our own. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n')
