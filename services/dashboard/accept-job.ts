import { type AcceptedJob, isShortOfCredits, UnknownJobError } from '#packages/acceptance/acceptance.ts'
import type { JobRequest } from '#packages/acceptance/job-request.ts'
import type { DashboardParts } from './parts.ts'
import type { OrgVisit } from './route.ts'

type Asked = { request: JobRequest; idempotencyKey: string | undefined }

/**
 * Accepts a job that a person asks for, as a POST to `/v1` does: it has no key, and its heavy request has been counted.
 * @throws ServiceError as `Acceptance.accept`
 */
export async function acceptJob(
  { acceptance, rates }: Pick<DashboardParts, 'acceptance' | 'rates'>,
  visit: OrgVisit,
  { request, idempotencyKey }: Asked,
): Promise<AcceptedJob> {
  const { requestId, traceparent, org } = visit
  const { orgId } = org
  const metadata = { orgId, causationId: requestId, traceparent }
  try {
    const job = await acceptance.accept({ request, keyId: null, monthlyCredits: null, idempotencyKey, metadata })
    visit.began(job)
    return job
  } catch (error) {
    if (isShortOfCredits(error)) await rates.giveHeavyBackTo(orgId)
    if (error instanceof UnknownJobError) visit.mayHaveBegun(error)
    throw error
  }
}
