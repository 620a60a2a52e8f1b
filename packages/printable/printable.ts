/**
 * Characters that a terminal obeys or nobody sees: control characters, marks of direction, zero-width characters, tags,
 * half of a character. The two joiners are left: words of many languages need them.
 */
const unseen = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}/gu

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')

/**
 * A text of strangers for a person or a model to read, on one line: what cannot be seen is written as `\uXXXX`. JSON stays
 * the same JSON.
 */
export const printable = (text: string): string => text.replace(unseen, escaped)

/** The same of a text of several lines of ours, in each of which strangers' words may stand. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n')
