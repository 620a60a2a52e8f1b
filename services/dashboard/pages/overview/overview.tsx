/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren, VNode } from 'preact'
import type { Credits, Usage } from '#contracts/generated/http.ts'
import { plans } from '#packages/domain/credits/plans.ts'
import { Missing, type OrMissing } from '../../look/missing.tsx'
import { CopyBox, formatDay, formatNumber, Stat } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'
import { type OrgPageContext, type Page, page, pathOf, type Route } from '../../route.ts'
import { type PictureOf, picturesIn } from '../jobs/thumbnails.tsx'
import { firstCall } from '../try/first-call.ts'
import { Attention } from './attention.tsx'
import { LastJobs } from './last-jobs.tsx'
import { type Overview, type OverviewParts, readOverview } from './read-overview.ts'

/** `/org/{orgId}` */
export const overviewRoutes = (parts: OverviewParts, options: PageOptions): Route[] => [
  {
    path: '/org/:orgId',
    access: 'member',
    async get(context) {
      const { orgId } = context.org
      const pictureOf = picturesIn(parts, options, orgId)
      return overviewPage(await readOverview(parts, orgId, options), context, { ...options, pictureOf })
    },
  },
]

type Shown = PageOptions & { pictureOf: PictureOf }

function overviewPage(overview: Overview, { org, baseUrl }: OrgPageContext, options: Shown): Page {
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
        <Figures overview={overview} base={base} />
        <Attention overview={overview} base={base} />
        {isNew ? (
          <FirstSteps
            base={base}
            docs={`${options.root}/../docs`}
            baseUrl={baseUrl}
            exampleUrl={options.exampleUrl}
            hasKey={keys.missing || keys.value.length > 0}
          />
        ) : (
          <LastJobs jobs={jobs} base={base} pictureOf={options.pictureOf} />
        )}
      </div>
    ),
  })
}

const unknown = { value: '–', note: 'Unavailable right now' }

function Figures({ overview: { credits, spent }, base }: { overview: Overview; base: string }): VNode {
  const known = credits.missing ? undefined : credits.value
  return (
    <>
      {known === undefined && <Missing what="Your credits" />}
      <div class="grid four">
        <Stat
          name="Credits available"
          {...(known ? { value: formatNumber(known.available), note: availableNote(known, base) } : unknown)}
        />
        <Stat
          name="Credits held"
          {...(known ? { value: formatNumber(known.held), note: 'Reserved for running jobs' } : unknown)}
        />
        <Stat
          name={spentName(spent)}
          {...(spent.missing
            ? unknown
            : { value: formatNumber(spent.value.totals.creditsCharged), note: jobsOf(spent.value.totals.jobs) })}
        />
        <Stat name="Plan" {...(known ? { value: plans[known.plan].name, note: planNote(known, base) } : unknown)} />
      </div>
    </>
  )
}

/** The label of the credits spent. If the month's first days are no longer kept, it names the first day counted. */
const spentName = (spent: OrMissing<Usage>): string =>
  spent.missing || spent.value.from.endsWith('-01') ? 'Spent this month' : `Spent since ${formatDay(spent.value.from)}`

const jobsOf = (count: number): string => (count === 1 ? 'For 1 job' : `For ${formatNumber(count)} jobs`)

const availableNote = ({ available }: Credits, base: string): ComponentChildren =>
  available > 0 ? 'Ready for new jobs' : <a href={`${base}/plans`}>Get more credits</a>

const planNote = (credits: Credits, base: string): VNode => (
  <>
    {renewalOf(credits)}. <a href={`${base}/plans`}>Compare plans</a>
  </>
)

const renewalOf = ({ renewal }: Credits): string =>
  renewal === null
    ? 'Credits do not expire'
    : `Renews on ${formatDay(renewal.at)} with ${formatNumber(renewal.credits)} credits`

type StepParts = { base: string; docs: string; baseUrl: string; exampleUrl: string; hasKey: boolean }

/** Replaces the list of jobs if there are none yet. */
const FirstSteps = ({ base, docs, baseUrl, exampleUrl, hasKey }: StepParts): VNode => (
  <section class="card">
    <h2>Get your first transcript</h2>
    {hasKey ? (
      <>
        <p>
          Replace <code>YOUR_KEY</code> with your key and run this in a terminal. The job appears here.
        </p>
        <CopyBox text={firstCall({ baseUrl, exampleUrl, key: 'YOUR_KEY' })} />
        <p class="row">
          <a class="button main" href={`${base}/try/transcript?${new URLSearchParams({ url: exampleUrl })}`}>
            Try it in the browser
          </a>
          <a class="button" href={`${base}/keys`}>
            Create another key
          </a>
          <a href={docs}>Read the documentation</a>
        </p>
      </>
    ) : (
      <>
        <p>You need a key to call the API from code. In the browser, you can try every operation without one.</p>
        <p class="row">
          <a class="button main" href={`${base}/keys`}>
            Create API key
          </a>
          <a class="button" href={`${base}/try`}>
            Try it in the browser
          </a>
        </p>
      </>
    )}
  </section>
)
