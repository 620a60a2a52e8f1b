import type { EventMetadata } from '#contracts/generated/messages.ts'
import type { OrgVisit } from '../route.ts'

/** What the events of a visit say about their cause: its request and its trace, never the person. */
export const metadataOf = ({ org, requestId, traceparent }: OrgVisit): EventMetadata => ({
  orgId: org.orgId,
  correlationId: requestId,
  causationId: requestId,
  traceparent,
})
