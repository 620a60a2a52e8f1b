/** The caller of a lookup: an organization, in one of its requests. */
export type Asker = {
  orgId: string
  requestId: string
  /** The caller can do without the result, so jobs and waiting requests go first. */
  isOptional?: boolean
}
