import type { AcceptedJob } from '#packages/jobs/acceptance/acceptance.ts'
import type { JobRequest } from '#packages/jobs/acceptance/job-request.ts'
import { isShortOfCredits } from '#packages/jobs/acceptance/short-of-credits.ts'
import type { Terms } from '#packages/jobs/acceptance/terms.ts'
import { UnknownJobError } from '#packages/jobs/acceptance/unknown-job-error.ts'
import type { DashboardParts } from './parts.ts'
import type { OrgPageContext } from './route.ts'

type Asked = { request: JobRequest; terms: Terms; idempotencyKey: string | undefined }

/**
 * Accepts a job that a person requests, as a POST to `/v1` does. It has no key. Its heavy request is already counted.
 * @throws ServiceError as `Acceptance.accept`
 */
export async function acceptJob(
  { acceptance, rates }: Pick<DashboardParts, 'acceptance' | 'rates'>,
  context: OrgPageContext,
  asked: Asked,
): Promise<AcceptedJob> {
  const { requestId, traceparent, org } = context
  const { orgId } = org
  const metadata = { orgId, causationId: requestId, traceparent }
  try {
    const application = { ...asked, keyId: null, surface: 'dashboard', monthlyCredits: null, metadata } as const
    const job = await acceptance.accept(application)
    context.began(job)
    return job
  } catch (error) {
    if (isShortOfCredits(error)) await rates.giveHeavyBackTo(orgId)
    if (error instanceof UnknownJobError) context.mayHaveBegun(error)
    throw error
  }
}
