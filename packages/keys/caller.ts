import type { KeyHolder } from '#packages/domain/key/key.ts'

/** Who sent a request: an organization, by one of its keys, and what that key may do. */
export type Caller = KeyHolder & { orgId: string; keyId: string }
