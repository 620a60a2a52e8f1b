/** Who sent a request: an organization, by one of its keys. */
export type Caller = { orgId: string; keyId: string }
