/** Who looks something up: an organization, by one of its requests. */
export type Asker = { orgId: string; requestId: string }
