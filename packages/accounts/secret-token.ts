import { randomBytes } from 'node:crypto'
import { sha256 } from '#packages/ports/ids.ts'

/** Of 32 random bytes, in letters that a URL and a cookie take as they are. Stored is only the hash. */
export type SecretToken = { token: string; hash: string }

export function newSecretToken(): SecretToken {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: sha256(token) }
}

/** The hash under which the token that somebody shows is known. */
export const tokenHash = (token: string): string => sha256(token)
