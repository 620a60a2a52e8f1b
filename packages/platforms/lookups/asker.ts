/** For whom something is looked up: an organization, in one of its requests. */
export type Asker = {
  orgId: string
  requestId: string
  /** The caller can do without it: jobs and waiting requests go first. */
  isOptional?: boolean
}
