import type { KeyHolder } from '#packages/domain/key/key.ts'

/** The sender of a request: an organization, through one of its keys, and what that key may do. */
export type Caller = KeyHolder & { orgId: string; keyId: string }
