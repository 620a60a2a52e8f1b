import { analyse } from 'chardet'

/** A guess of less than this, of 100, is none. */
const LEAST_CONFIDENCE = 10

/**
 * Bytes as text: UTF-8, UTF-16 with its mark, else the encoding that its letters speak for, such as windows-1251.
 * @returns undefined where no encoding is likely
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  const marked =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : undefined
  const likely = analyse(bytes)
    .filter(({ confidence }) => confidence >= LEAST_CONFIDENCE)
    .map(({ name }) => name)
  for (const encoding of [marked ?? 'utf-8', ...likely]) {
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes)
    } catch {
      // not in this encoding, or one that is not known here
    }
  }
  return undefined
}
