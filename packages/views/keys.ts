import type { Projection } from './projection.ts'

/** One API key, as the list shows it. Times are ISO 8601. */
export type KeyDocument = {
  orgId: string
  name: string
  /** First seven characters of the secret. */
  prefix: string
  createdAt: string
  revokedAt: string | null
}

const iso = (instant: number): string => new Date(instant).toISOString()

export const keys: Projection<KeyDocument> = {
  name: 'keys',
  prefixes: ['key-'],
  documentIdOf: (event) => (event.stream.startsWith('key-') ? event.stream.slice('key-'.length) : undefined),
  project(event) {
    if (event.type === 'KeyRevoked') return { revokedAt: iso(event.recordedAt) }
    if (event.type !== 'KeyCreated') return undefined
    const { orgId, name, prefix } = event.data
    return { orgId, name, prefix, createdAt: iso(event.recordedAt), revokedAt: null }
  },
}
