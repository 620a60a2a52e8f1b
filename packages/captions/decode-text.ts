import { analyse } from 'chardet'

/** A guess below this confidence, of 100, does not count. */
const LEAST_CONFIDENCE = 10

/**
 * Decodes bytes as text: UTF-8, UTF-16 with its mark, else the encoding that its letters suggest, such as
 * windows-1251.
 * @returns undefined if no encoding is likely
 */
export const decodeText = (bytes: Uint8Array): string | undefined =>
  decodedBy(markedEncoding(bytes) ?? 'utf-8', bytes) ?? decodedByLetters(bytes)

function markedEncoding([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

function decodedByLetters(bytes: Uint8Array): string | undefined {
  for (const { name, confidence } of analyse(bytes)) {
    const text = confidence < LEAST_CONFIDENCE ? undefined : decodedBy(name, bytes)
    if (text !== undefined) return text
  }
  return undefined
}

function decodedBy(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    // not in this encoding, or one that is unknown here
    return undefined
  }
}
