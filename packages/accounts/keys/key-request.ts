import type { KeyGrant } from '#packages/domain/key/grant.ts'
import { invalidRequest } from '#packages/foundation/errors/service-error.ts'
import { isNewKeyRequest } from '#packages/foundation/validation/body-validators.ts'
import { instantOf } from '#packages/foundation/validation/instant.ts'
import { validated } from '#packages/foundation/validation/validated.ts'

export type KeyRequest = { name: string; grant: KeyGrant }

/**
 * The key that a NewKeyRequest of the contracts requests. The characters of the name are counted after trimming.
 * @param now milliseconds since 1970
 * @throws ServiceError invalid_request
 */
export function keyRequestOf(body: unknown, now: number): KeyRequest {
  const given = body as { name?: unknown } | null
  const trimmed = typeof given?.name === 'string' ? { ...given, name: given.name.toWellFormed().trim() } : body
  const { name, scopes = null, monthlyCredits = null, expiresAt } = validated(isNewKeyRequest, trimmed)
  return {
    name,
    grant: { scopes, monthlyCredits, expiresAt: expiresAt === undefined ? null : expiryOf(expiresAt, now) },
  }
}

/** @returns milliseconds since 1970 @throws ServiceError invalid_request */
export function expiryOf(text: string, now: number): number {
  const expiresAt = instantOf(text)
  if (expiresAt === undefined)
    throw invalidRequest({ path: 'expiresAt', message: 'must be an ISO 8601 timestamp, such as 2027-01-31T09:00:00Z' })
  if (expiresAt <= now) throw invalidRequest({ path: 'expiresAt', message: 'must be in the future' })
  return expiresAt
}
