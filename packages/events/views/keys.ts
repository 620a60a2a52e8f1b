import type { KeyGrant } from '#packages/domain/key/grant.ts'
import { isoOf } from '#packages/ports/clock.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { goneWith, type Projection } from './projection.ts'

/** One API key, as the list shows it. Times are ISO 8601, except `expiresAt`: milliseconds since 1970. */
export type KeyDocument = KeyGrant & {
  orgId: string
  name: string
  /** First seven characters of the secret. */
  prefix: string
  /** The last four characters of the secret. */
  suffix: string
  createdAt: string
  revokedAt: string | null
  /** The organization with this key in its list; null once it is revoked, so that lists no longer read it. */
  listedFor: string | null
}

function fieldsOf(event: StoredEvent): Partial<KeyDocument> | undefined {
  if (event.type === 'KeyRevoked') return { revokedAt: isoOf(event.recordedAt), listedFor: null }
  if (event.type === 'KeyChanged') {
    const { name, monthlyCredits, expiresAt } = event.data
    return { name, monthlyCredits, expiresAt }
  }
  if (event.type !== 'KeyCreated') return undefined
  const { orgId, name, prefix, suffix, scopes, monthlyCredits, expiresAt } = event.data
  const times = { createdAt: isoOf(event.recordedAt), revokedAt: null }
  return { orgId, name, prefix, suffix, scopes, monthlyCredits, expiresAt, ...times, listedFor: orgId }
}

export const keys: Projection<KeyDocument> = {
  name: 'keys',
  prefixes: ['key-'],
  collection: { findBy: ['listedFor', 'orgId'] },
  changeOf(event) {
    const fields = fieldsOf(event)
    if (fields === undefined) return undefined
    const next = (current: KeyDocument | undefined) => ({ ...current, ...fields }) as KeyDocument
    const place = event.type === 'KeyCreated' ? 'first' : 'last'
    return { id: event.stream.slice('key-'.length), place, next }
  },
  removedWith: goneWith('key-', (id) => ({ id })),
}
