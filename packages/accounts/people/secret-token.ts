import { randomBytes } from 'node:crypto'
import { sha256 } from '#packages/ports/ids.ts'

/** A token of 32 random bytes, in letters that need no escaping in a URL or a cookie. Only its hash is stored. */
export type SecretToken = { token: string; hash: string }

export function newSecretToken(): SecretToken {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: sha256(token) }
}

/** The hash that identifies a token. */
export const tokenHash = (token: string): string => sha256(token)
