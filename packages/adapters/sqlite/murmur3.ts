/** The size of a block of the hash, bytes. */
export const blockBytes = 16

const rotate = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits))

const [c1, c2, c3, c4] = [0x239b961b, 0xab0e9789, 0x38b34ae5, 0xa1e38b93]
const mixed1 = (word: number): number => Math.imul(rotate(Math.imul(word, c1), 15), c2)
const mixed2 = (word: number): number => Math.imul(rotate(Math.imul(word, c2), 16), c3)
const mixed3 = (word: number): number => Math.imul(rotate(Math.imul(word, c3), 17), c4)
const mixed4 = (word: number): number => Math.imul(rotate(Math.imul(word, c4), 18), c1)

/** Mixes each bit of a value into all others. */
function finished(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return twice ^ (twice >>> 16)
}

/**
 * The first 52 bits of MurmurHash3_x86_128, seed 0. A number represents them exactly.
 * @param bytes followed by zeros up to a multiple of {@link blockBytes}
 * @param length without those zeros
 */
export function murmur3(bytes: DataView, length: number): number {
  let [h1, h2, h3, h4] = [0, 0, 0, 0]
  const whole = length - (length % blockBytes)
  let at = 0
  for (; at < whole; at += blockBytes) {
    h1 = rotate(h1 ^ mixed1(bytes.getInt32(at, true)), 19) + h2
    h1 = (Math.imul(h1, 5) + 0x561ccd1b) | 0
    h2 = rotate(h2 ^ mixed2(bytes.getInt32(at + 4, true)), 17) + h3
    h2 = (Math.imul(h2, 5) + 0x0bcaa747) | 0
    h3 = rotate(h3 ^ mixed3(bytes.getInt32(at + 8, true)), 15) + h4
    h3 = (Math.imul(h3, 5) + 0x96cd1c35) | 0
    h4 = rotate(h4 ^ mixed4(bytes.getInt32(at + 12, true)), 13) + h1
    h4 = (Math.imul(h4, 5) + 0x32ac3b17) | 0
  }
  if (at < length) {
    h1 ^= mixed1(bytes.getInt32(at, true))
    h2 ^= mixed2(bytes.getInt32(at + 4, true))
    h3 ^= mixed3(bytes.getInt32(at + 8, true))
    h4 ^= mixed4(bytes.getInt32(at + 12, true))
  }
  h1 = ((h1 ^ length) + (h2 ^ length) + (h3 ^ length) + (h4 ^ length)) | 0
  h2 = ((h2 ^ length) + h1) | 0
  h3 = ((h3 ^ length) + h1) | 0
  h4 = ((h4 ^ length) + h1) | 0
  const [f1, f2, f3, f4] = [finished(h1), finished(h2), finished(h3), finished(h4)]
  const first = (f1 + f2 + f3 + f4) | 0
  const second = (f2 + first) | 0
  return (first >>> 0) * 2 ** 20 + (second >>> 12)
}
