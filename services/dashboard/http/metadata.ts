import type { EventMetadata } from '#contracts/generated/messages.ts'
import type { OrgPageContext } from '../route.ts'

/** What the events of a request say about their cause: its request and its trace, never the person. */
export const metadataOf = ({ org, requestId, traceparent }: OrgPageContext): EventMetadata => ({
  orgId: org.orgId,
  correlationId: requestId,
  causationId: requestId,
  traceparent,
})
