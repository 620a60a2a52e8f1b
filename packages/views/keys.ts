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
  /** The organization that lists it: null once it is revoked, so that no list looks at it again. */
  listedFor: string | null
}

const iso = (instant: number): string => new Date(instant).toISOString()

function fieldsOf(event: StoredEvent): Partial<KeyDocument> | undefined {
  if (event.type === 'KeyRevoked') return { revokedAt: iso(event.recordedAt), listedFor: null }
  if (event.type !== 'KeyCreated') return undefined
  const { orgId, name, prefix } = event.data
  return { orgId, name, prefix, createdAt: iso(event.recordedAt), revokedAt: null, listedFor: orgId }
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
