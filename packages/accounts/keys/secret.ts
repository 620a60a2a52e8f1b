import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PREFIX = 'ma_'
const RANDOM_CHARACTERS = 32
const CHECKSUM_CHARACTERS = 6
const form = /^ma_[0-9A-Za-z]{38}$/

function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < CHECKSUM_CHARACTERS; place++) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits
    rest = Math.floor(rest / ALPHABET.length)
  }
  return digits
}

/**
 * The secret of a new API key: `ma_`, 32 random base62 characters (190 bits), and 6 characters of their CRC-32.
 * @param bytes 64 unguessable ones; the same bytes make the same secret
 */
export function createSecret(bytes: Buffer = randomBytes(2 * RANDOM_CHARACTERS)): string {
  // Two bytes per character: the characters' probabilities differ by at most a thirty-thousandth.
  const characters = Array.from({ length: RANDOM_CHARACTERS }, (_, at) => bytes.readUInt16BE(2 * at) % ALPHABET.length)
  const random = characters.map((place) => ALPHABET.charAt(place)).join('')
  return PREFIX + random + checksumOf(PREFIX + random)
}

/** Whether a string has the form and checksum of a secret. Reads nothing. */
export function isWellFormed(secret: string): boolean {
  if (!form.test(secret)) return false
  const end = PREFIX.length + RANDOM_CHARACTERS
  return checksumOf(secret.slice(0, end)) === secret.slice(end)
}

/** SHA-256 of the secret in hexadecimal. Only this hash and the marks of a secret are stored. */
export const secretHash = (secret: string): string => hash('sha256', secret)

/** The first and the last characters of a secret. Its owner recognises it by them. */
export const marksOf = (secret: string): { prefix: string; suffix: string } => ({
  prefix: secret.slice(0, 7),
  suffix: secret.slice(-4),
})
