import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** The purposes of sealed data, which is lost with the key. `backup` and `restore` print them. */
export const purposes = {
  flash: 'what a page was about to show once: a key or an invitation that was made within the last minute',
  cursor: 'where the next page of a list of a platform begins: the caller begins again',
  webhook: 'the URLs and the secrets of webhooks: they have to be made anew',
  'second-factor':
    'the secrets of two-factor authentication: people sign in with a recovery code, or an operator resets it',
} as const

export type Purpose = keyof typeof purposes

/**
 * Purposes of signed values, which only this service can make. They are not lost with the key, because they can be made
 * again.
 */
type Signed = 'form' | 'thumbnail'

export const KEY_BYTES = 32

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Seals a few bytes with the service's one key (SECRETS_KEY). Without it, sealed bytes cannot be read, changed or made.
 * Each purpose has its own key, so bytes sealed for one purpose are invalid for another. Nonces are random: a repeat
 * becomes likely only after one key has sealed four thousand million times.
 */
export class Sealer {
  readonly #key: Buffer

  /** @param key 32 random bytes */
  constructor(key: Buffer) {
    if (key.length !== KEY_BYTES) throw new Error(`a key that seals has ${KEY_BYTES} bytes`)
    this.#key = key
  }

  /** Identifies the key. It may be shown: the key cannot be derived from it. */
  get fingerprint(): string {
    return this.#derived('fingerprint').subarray(0, 8).toString('hex')
  }

  /** @returns letters that a URL, a cookie and JSON take unchanged. They are a third longer than the bytes, plus 38 */
  seal(purpose: Purpose, bytes: Uint8Array): string {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, this.#derived(purpose), nonce, { authTagLength: TAG_BYTES })
    const sealed = [cipher.update(bytes), cipher.final()]
    return Buffer.concat([nonce, ...sealed, cipher.getAuthTag()]).toString('base64url')
  }

  /** @returns undefined for anything that was not sealed with this key for this purpose */
  unseal(purpose: Purpose, sealed: string): Buffer | undefined {
    const bytes = Buffer.from(sealed, 'base64url')
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined
    const nonce = bytes.subarray(0, NONCE_BYTES)
    const decipher = createDecipheriv(CIPHER, this.#derived(purpose), nonce, { authTagLength: TAG_BYTES })
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    try {
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
    } catch {
      return undefined
    }
  }

  /** 64 bytes that follow from a text, and that cannot be computed without the key. */
  digest(purpose: Signed, text: string): Buffer {
    return createHmac('sha512', this.#derived(purpose)).update(text).digest()
  }

  #derived(purpose: Purpose | 'fingerprint' | Signed): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#key, '', `video-intelligence ${purpose}`, KEY_BYTES))
  }
}
