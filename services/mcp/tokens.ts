/** Runs of Latin letters, runs of digits, runs of spaces, and every other character alone. */
const parts = /[A-Za-z]+|\d+|\s+|[\s\S]/gu

const tokensIn = (part: string): number => {
  if (/^[A-Za-z]/.test(part)) return Math.ceil(part.length / 5)
  if (/^\d/.test(part)) return Math.ceil(part.length / 3)
  // One space belongs to the word after it.
  if (/^\s/.test(part)) return Math.ceil((part.length - 1) / 4)
  return 1
}

/** An estimate of a text's tokens, too high rather than too low. */
export function tokensOf(text: string): number {
  let tokens = 0
  for (const [part] of text.matchAll(parts)) tokens += tokensIn(part)
  return tokens
}
