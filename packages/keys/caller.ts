/** Who asks: the organization, through one of its keys. */
export type Caller = { orgId: string; keyId: string }
