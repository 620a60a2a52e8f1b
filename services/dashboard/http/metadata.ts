import type { EventMetadata } from '#contracts/generated/messages.ts'
import type { OrgPageContext } from '../route.ts'

/** The cause in the events of a request: its request id and its trace, never the person. */
export const metadataOf = ({ org, requestId, traceparent }: OrgPageContext): EventMetadata => ({
  orgId: org.orgId,
  correlationId: requestId,
  causationId: requestId,
  traceparent,
})
