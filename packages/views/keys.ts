import { isoOf } from '#packages/ports/clock.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Projection } from './projection.ts'

/** One API key, as the list shows it. Times are ISO 8601. */
export type KeyDocument = {
  orgId: string
  name: string
  /** First seven characters of the secret. */
  prefix: string
  createdAt: string
  revokedAt: string | null
  /** The organization whose list shows the key; null once it is revoked, so that lists do not read it any more. */
  listedFor: string | null
}

function fieldsOf(event: StoredEvent): Partial<KeyDocument> | undefined {
  if (event.type === 'KeyRevoked') return { revokedAt: isoOf(event.recordedAt), listedFor: null }
  if (event.type !== 'KeyCreated') return undefined
  const { orgId, name, prefix } = event.data
  return { orgId, name, prefix, createdAt: isoOf(event.recordedAt), revokedAt: null, listedFor: orgId }
}

export const keys: Projection<KeyDocument> = {
  name: 'keys',
  prefixes: ['key-'],
  collection: { findBy: ['listedFor'] },
  changeOf(event) {
    const fields = fieldsOf(event)
    if (fields === undefined) return undefined
    const next = (current: KeyDocument | undefined) => ({ ...current, ...fields }) as KeyDocument
    return { id: event.stream.slice('key-'.length), place: event.type === 'KeyCreated' ? 'first' : 'last', next }
  },
}
