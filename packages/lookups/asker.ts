/** On whose behalf something is looked up: an organization, in one of its requests. */
export type Asker = {
  orgId: string
  requestId: string
  /** It can be done without now: jobs and requests that wait go first. */
  isOptional?: boolean
}
