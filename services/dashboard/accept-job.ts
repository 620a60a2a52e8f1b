import { type AcceptedJob, isShortOfCredits, UnknownJobError } from '#packages/acceptance/acceptance.ts'
import type { JobRequest } from '#packages/acceptance/job-request.ts'
import type { NamedWebhook } from '#packages/webhooks/named-webhook.ts'
import type { DashboardParts } from './parts.ts'
import type { OrgPageContext } from './route.ts'

type Asked = { request: JobRequest; webhook?: NamedWebhook | undefined; idempotencyKey: string | undefined }

/**
 * Accepts a job that a person asks for, as a POST to `/v1` does: it has no key, and its heavy request has been counted.
 * @throws ServiceError as `Acceptance.accept`
 */
export async function acceptJob(
  { acceptance, rates }: Pick<DashboardParts, 'acceptance' | 'rates'>,
  context: OrgPageContext,
  { request, webhook, idempotencyKey }: Asked,
): Promise<AcceptedJob> {
  const { requestId, traceparent, org } = context
  const { orgId } = org
  const metadata = { orgId, causationId: requestId, traceparent }
  try {
    const asked = {
      request,
      webhook,
      keyId: null,
      surface: 'dashboard',
      monthlyCredits: null,
      idempotencyKey,
      metadata,
    } as const
    const job = await acceptance.accept(asked)
    context.began(job)
    return job
  } catch (error) {
    if (isShortOfCredits(error)) await rates.giveHeavyBackTo(orgId)
    if (error instanceof UnknownJobError) context.mayHaveBegun(error)
    throw error
  }
}
