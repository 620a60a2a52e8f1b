/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { Credits, ListedJob, Usage } from '#contracts/generated/http.ts'
import { periodOf } from '#packages/domain/credits/months.ts'
import { anyJob, type ListQuestion, listJobs } from '#packages/jobs/list-jobs.ts'
import type { UsedKey } from '#packages/keys/keys.ts'
import { sumUsage } from '#packages/ledger/sum-usage.ts'
import { firstCall } from '../../look/first-call.ts'
import { Missing, type OrMissing, orMissing } from '../../look/missing.tsx'
import { CopyBox, formatDay, formatNumber, Stat } from '../../look/parts.tsx'
import type { DashboardParts } from '../../parts.ts'
import { type OrgPageContext, type Page, page, pathOf, type Route } from '../../route.ts'
import type { PageOptions } from '../../routes.ts'
import { Attention } from './attention.tsx'
import { LastJobs } from './last-jobs.tsx'

type Parts = Pick<DashboardParts, 'details' | 'views' | 'ownKeys' | 'clock'>

const LAST_JOBS = 5
const DAY_MS = 24 * 60 * 60 * 1000
/** The most failures of a day that are counted. */
const MAX_FAILURES = 100

const everyJob: ListQuestion = { ...anyJob, cursor: undefined, limit: LAST_JOBS }

/** What the page is made of; each part may be away by itself. */
export type Overview = {
  credits: OrMissing<Credits>
  /** Of this month (UTC). */
  spent: OrMissing<Usage>
  /** The newest ones. */
  jobs: OrMissing<ListedJob[]>
  /** Those of the last day that failed, at most 100. */
  failed: OrMissing<ListedJob[]>
  keys: OrMissing<UsedKey[]>
  /** Milliseconds since 1970. */
  now: number
}

/** `/org/{orgId}` */
export const overviewRoutes = (parts: Parts, options: PageOptions): Route[] => [
  {
    path: '/org/:orgId',
    access: 'member',
    get: async (context) => overviewPage(await read(parts, context.org.orgId, options), context, options),
  },
]

async function read(
  { details, views, ownKeys, clock }: Parts,
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

function overviewPage(overview: Overview, { org, baseUrl }: OrgPageContext, options: PageOptions): Page {
  const base = `${options.root}/org/${org.orgId}`
  const { jobs, keys } = overview
  const isNew = !jobs.missing && jobs.value.length === 0
  const isBusy = !jobs.missing && jobs.value.some(({ status }) => status === 'queued')
  return page({
    title: 'Overview',
    section: 'overview',
    main: (
      <div id="overview" class="sections" data-island={isNew || isBusy ? 'live' : undefined}>
        <div class="head">
          <h1>Overview</h1>
          {!isNew && (
            <a class="button main" href={options.root + pathOf(org.orgId, 'try')}>
              Try it
            </a>
          )}
        </div>
        <Figures overview={overview} />
        <Attention overview={overview} base={base} options={options} />
        {isNew ? (
          <FirstSteps
            base={base}
            baseUrl={baseUrl}
            exampleUrl={options.exampleUrl}
            hasKey={keys.missing || keys.value.length > 0}
          />
        ) : (
          <LastJobs jobs={jobs} base={base} />
        )}
      </div>
    ),
  })
}

const unknown = { value: '–', note: 'Not known right now' }

const planNames: Record<Credits['plan'], string> = { free: 'Free', starter: 'Starter', pro: 'Pro' }

function Figures({ overview: { credits, spent } }: { overview: Overview }): VNode {
  const known = credits.missing ? undefined : credits.value
  return (
    <>
      {known === undefined && <Missing what="Your credits" />}
      <div class="grid four">
        <Stat
          name="Credits available"
          {...(known ? { value: formatNumber(known.available), note: 'Ready for new jobs' } : unknown)}
        />
        <Stat
          name="Credits held"
          {...(known ? { value: formatNumber(known.held), note: 'For jobs that are not settled' } : unknown)}
        />
        <Stat
          name={spentName(spent)}
          {...(spent.missing
            ? unknown
            : { value: formatNumber(spent.value.totals.creditsCharged), note: jobsOf(spent.value.totals.jobs) })}
        />
        <Stat name="Plan" {...(known ? { value: planNames[known.plan], note: renewalOf(known) } : unknown)} />
      </div>
    </>
  )
}

/** A month that began before the days that are kept is told in part. */
const spentName = (spent: OrMissing<Usage>): string =>
  spent.missing || spent.value.from.endsWith('-01') ? 'Spent this month' : `Spent since ${formatDay(spent.value.from)}`

const jobsOf = (count: number): string => (count === 1 ? 'For 1 job' : `For ${formatNumber(count)} jobs`)

const renewalOf = ({ renewal }: Credits): string =>
  renewal === null
    ? 'Credits do not renew, and do not expire'
    : `Renews on ${formatDay(renewal.at)} with ${formatNumber(renewal.credits)} credits`

type StepParts = { base: string; baseUrl: string; exampleUrl: string; hasKey: boolean }

/** In place of the jobs where there are none yet. */
const FirstSteps = ({ base, baseUrl, exampleUrl, hasKey }: StepParts): VNode => (
  <section class="card">
    <h2>Get your first transcript</h2>
    {hasKey ? (
      <>
        <p>
          Put your key in place of <code>YOUR_KEY</code> and run this in a terminal. The job appears here.
        </p>
        <CopyBox text={firstCall({ baseUrl, exampleUrl, key: 'YOUR_KEY' })} />
        <p class="row">
          <a class="button main" href={`${base}/try`}>
            Try it in the browser
          </a>
          <a class="button" href={`${base}/keys`}>
            Make another key
          </a>
          <a href="/docs">Read the documentation</a>
        </p>
      </>
    ) : (
      <>
        <p>Your programs need a key to call the API. In the browser you can try every operation without one.</p>
        <p class="row">
          <a class="button main" href={`${base}/keys`}>
            Make a key
          </a>
          <a class="button" href={`${base}/try`}>
            Try it in the browser
          </a>
        </p>
      </>
    )}
  </section>
)
