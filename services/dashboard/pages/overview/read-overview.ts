import type { Credits, ListedJob, Usage } from '#contracts/generated/http.ts'
import type { UsedKey } from '#packages/accounts/keys/keys.ts'
import { sumUsage } from '#packages/accounts/ledger/sum-usage.ts'
import { periodOf } from '#packages/domain/credits/months.ts'
import { anyJob, type ListQuestion, listJobs } from '#packages/jobs/status/list-jobs.ts'
import { type OrMissing, orMissing } from '../../look/missing.tsx'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'

export type OverviewParts = Pick<DashboardParts, 'details' | 'views' | 'ownKeys' | 'clock' | 'sealer'>

const LAST_JOBS = 5
const DAY_MS = 24 * 60 * 60 * 1000
/** The most failures of a day that are counted. */
const MAX_FAILURES = 100

const everyJob: ListQuestion = { ...anyJob, cursor: undefined, limit: LAST_JOBS }

/** The data of the page. Each part may be unavailable by itself. */
export type Overview = {
  credits: OrMissing<Credits>
  /** The usage of this month (UTC). */
  spent: OrMissing<Usage>
  /** The newest jobs. */
  jobs: OrMissing<ListedJob[]>
  /** The jobs that failed within the last day, at most 100. */
  failed: OrMissing<ListedJob[]>
  keys: OrMissing<UsedKey[]>
  /** Milliseconds since 1970. */
  now: number
}

export async function readOverview(
  { details, views, ownKeys, clock }: OverviewParts,
  orgId: string,
  { retentionDays }: PageOptions,
): Promise<Overview> {
  const now = clock.now()
  const month = { from: `${periodOf(now)}-01`, to: undefined, groupBy: 'operation' } as const
  const failures = { ...everyJob, status: 'failed', createdAfter: now - DAY_MS, limit: MAX_FAILURES } as const
  const jobsOf = async (question: ListQuestion) => (await listJobs(views, orgId, question)).jobs
  const [credits, spent, jobs, failed, keys] = await Promise.all([
    orMissing(() => details.credits(orgId)),
    orMissing(() => sumUsage(views, orgId, month, { now, retentionDays })),
    orMissing(() => jobsOf(everyJob)),
    orMissing(() => jobsOf(failures)),
    orMissing(() => ownKeys.all(orgId)),
  ])
  return { credits, spent, jobs, failed, keys, now }
}
