import type { EventMetadata } from '#contracts/generated/messages.ts'
import { assertScope } from '#packages/accounts/keys/assert-scope.ts'
import type { OrganizationDetails } from '#packages/accounts/organizations/organization-details.ts'
import { plans } from '#packages/domain/credits/plans.ts'
import type { KeyHolder } from '#packages/domain/key/key.ts'
import type { Webhooks } from './webhooks.ts'

/** The webhook that a job names. `prepare` creates it if it is missing. The job must not begin before that. */
export type NamedWebhook = { id: string; prepare(): Promise<void> }

type Ports = { webhooks: Webhooks; details: Pick<OrganizationDetails, 'planOf'> }

/**
 * The webhook in `webhookUrl` of a job request. Undefined if it names none.
 * @param body that was validated
 * @throws ServiceError forbidden (the scope), invalid_request
 */
export function webhookNamedIn(
  body: unknown,
  { webhooks, details }: Ports,
  { by, metadata }: { by: KeyHolder; metadata: EventMetadata },
): NamedWebhook | undefined {
  const { webhookUrl } = body as { webhookUrl?: string }
  if (webhookUrl === undefined) return undefined
  assertScope(by.grant, 'webhooks')
  const { orgId } = metadata
  const named = webhooks.named(orgId, webhookUrl)
  return {
    id: named.id,
    async prepare() {
      const limit = plans[await details.planOf(orgId)].webhooks
      await webhooks.prepare(named, { by, limit, metadata })
    },
  }
}
