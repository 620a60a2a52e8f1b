/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { JobList, ListedJob } from '#contracts/generated/http.ts'
import type { OwnKey } from '#packages/accounts/keys/keys.ts'
import { isJobId } from '#packages/jobs/status/job-id.ts'
import { listJobs, searchJobs } from '#packages/jobs/status/list-jobs.ts'
import { Missing, type OrMissing, orMissing } from '../../look/missing.tsx'
import { Empty, Field, FormProblem, formatNumber, Select, Time } from '../../look/parts.tsx'
import { PagedTable } from '../../look/table.tsx'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { page, pathOf, type Route, redirect } from '../../route.ts'
import {
  authorName,
  clockOf,
  Failure,
  languageWords,
  modeWords,
  nameOf,
  platformLabels,
  StandingBadge,
  standingOf,
  surfaceLabels,
} from './job-words.tsx'
import { addressOf, askedOf, type Filters } from './list-query.ts'
import { type PictureOf, picturesIn, Thumbnail } from './thumbnails.tsx'

type Parts = Pick<DashboardParts, 'views' | 'ownKeys' | 'sealer' | 'clock'>

/** `/org/{orgId}/jobs`: the organization's jobs, newest first. */
export const jobListRoutes = (parts: Parts, { root }: Pick<PageOptions, 'root'>): Route[] => [
  {
    path: '/org/:orgId/jobs',
    access: 'member',
    async get({ org: { orgId }, query }) {
      const { views, ownKeys } = parts
      const { filters, question, problems } = askedOf(query)
      const jobId = filters.q.toLowerCase()
      if (isJobId(jobId)) return redirect(`${pathOf(orgId, 'jobs')}/${jobId}`)
      const find = question.words === undefined ? listJobs : searchJobs
      const [jobs, keys] = await Promise.all([
        problems === undefined ? orMissing(() => find(views, orgId, question)) : undefined,
        orMissing(() => ownKeys.withRevoked(orgId)),
      ])
      const path = root + pathOf(orgId, 'jobs')
      const isPlain = question.cursor === undefined && Object.values(filters).every((value) => value === '')
      const hasNone = isPlain && jobs?.missing === false && jobs.value.jobs.length === 0
      return page({
        title: 'Jobs',
        section: 'jobs',
        status: problems === undefined ? 200 : 400,
        main: hasNone ? (
          <>
            <h1>Jobs</h1>
            <NoneYet root={root} orgId={orgId} />
          </>
        ) : (
          <>
            <div class="head">
              <h1>Jobs</h1>
              <a class="button main" href={root + pathOf(orgId, 'try')}>
                Try it
              </a>
            </div>
            <FilterForm
              path={path}
              filters={filters}
              problems={problems}
              keys={keys.missing ? [] : choicesOf(keys.value)}
            />
            {jobs && (
              <Found
                path={path}
                filters={filters}
                jobs={jobs}
                isFirst={question.cursor === undefined}
                pictureOf={picturesIn(parts, { root }, orgId)}
              />
            )}
          </>
        ),
      })
    },
  },
]

type KeyChoice = readonly [id: string, words: string]

/** Keys with the same name are distinguished by the characters that the page of keys shows. */
const choicesOf = ({ active, revoked }: Awaited<ReturnType<Parts['ownKeys']['withRevoked']>>): KeyChoice[] => {
  const choice = ({ id, name, prefix, suffix }: OwnKey, note = ''): KeyChoice => [
    id,
    `${name} (${prefix}…${suffix}${note})`,
  ]
  return [...active.map((key) => choice(key)), ...revoked.map((key) => choice(key, ', revoked'))]
}

type FormParts = {
  path: string
  filters: Filters
  problems: Parameters<typeof Field>[0]['problems']
  keys: KeyChoice[]
}

function FilterForm({ path, filters, problems, keys }: FormParts): VNode {
  const { q, status, kind, platform, key, surface, batch, domain, from, to } = filters
  const hasMore = [status, kind, platform, key, surface, batch, domain, from, to].some((value) => value !== '')
  // Only the last revoked keys are listed. The key of the current filter remains a choice anyway.
  const isListed = key === '' || keys.some(([id]) => id === key)
  return (
    <form class="card" method="get" action={path}>
      <FormProblem problems={problems} />
      <div class="search">
        <Field name="q" label="Title, author, URL or job ID" type="search" value={q} maxLength={2048} />
        <button type="submit">Search</button>
      </div>
      <details class="more" open={hasMore}>
        <summary>Filters</summary>
        <div class="filters">
          <Select
            name="status"
            label="State"
            value={status}
            options={[
              ['', 'Any'],
              ['queued', 'In progress'],
              ['completed', 'Completed'],
              ['failed', 'Failed or cancelled'],
            ]}
          />
          <Select
            name="kind"
            label="Type"
            value={kind}
            options={[
              ['', 'Any'],
              ['transcript', 'Transcript'],
              ['extraction', 'Extraction'],
            ]}
          />
          <Select name="platform" label="Platform" value={platform} options={[['', 'Any'], ...platformLabels]} />
          <Select
            name="key"
            label="Key"
            value={key}
            options={[['', 'Any'], ...keys, ...(isListed ? [] : [[key, 'A key that is not listed'] as const])]}
          />
          <Select name="surface" label="Requested by" value={surface} options={[['', 'Any'], ...surfaceLabels]} />
          {batch !== '' && <Field name="batch" label="Batch ID" value={batch} maxLength={36} />}
          <Field name="domain" label="Domain" value={domain} maxLength={253} />
          <Field name="from" label="From" type="date" value={from} />
          <Field name="to" label="To" type="date" value={to} />
        </div>
        <div class="row">
          <button type="submit">Filter</button>
          {(hasMore || q !== '') && <a href={path}>Show all jobs</a>}
        </div>
      </details>
    </form>
  )
}

/** `isFirst`: it is the first page. */
type FoundParts = {
  path: string
  filters: Filters
  jobs: OrMissing<JobList>
  isFirst: boolean
  pictureOf: PictureOf
}

function Found({ path, filters, jobs, isFirst, pictureOf }: FoundParts): VNode {
  if (jobs.missing) return <Missing what="Your jobs" />
  const { jobs: listed, nextCursor } = jobs.value
  if (listed.length === 0 && isFirst) return <NoneMatch path={path} />
  return (
    <section id="jobs" data-island={listed.some(({ status }) => status === 'queued') ? 'live' : undefined}>
      <PagedTable
        label="Jobs"
        newest={isFirst ? undefined : addressOf(path, filters)}
        older={nextCursor === null ? undefined : addressOf(path, filters, nextCursor)}
        rows={listed}
        keyOf={({ jobId }) => jobId}
        lead="Video"
        numbers={['Credits']}
        columns={{
          Video: (job) => (
            <div class="video">
              <Thumbnail src={pictureOf(job)} />
              <div>
                <a class="row-link" href={`${path}/${job.jobId}`}>
                  {nameOf(job)}
                </a>
                <span class="quiet small under">{aboutVideo(job)}</span>
              </div>
            </div>
          ),
          Type: ({ kind, mode }) => (
            <span>
              {kind === 'extraction' ? 'Extraction' : 'Transcript'}
              {mode !== null && <span class="quiet small under">{modeWords[mode]}</span>}
            </span>
          ),
          State: (job) => (
            <span>
              <StandingBadge of={standingOf(job)} />
              <Failure of={job} />
            </span>
          ),
          Credits: ({ creditsCharged }) => (creditsCharged === null ? '–' : formatNumber(creditsCharged)),
          When: ({ createdAt, surface }) => (
            <span>
              <Time at={createdAt} />
              <span class="quiet small under">{surfaceLabels.get(surface)}</span>
            </span>
          ),
        }}
      />
    </section>
  )
}

const aboutVideo = ({ author, platform, durationSeconds, language }: ListedJob): string =>
  [
    ...(author === null ? [] : [authorName(author)]),
    platformLabels.get(platform),
    ...(durationSeconds === null ? [] : [clockOf(durationSeconds)]),
    ...(language === null ? [] : [languageWords(language)]),
  ].join(' · ')

const NoneMatch = ({ path }: { path: string }): VNode => (
  <Empty title="No matching jobs">
    <p>Search by title, author, video URL or job ID, or remove a filter.</p>
    <p>
      <a class="button" href={path}>
        Show all jobs
      </a>
    </p>
  </Empty>
)

const NoneYet = ({ root, orgId }: { root: string; orgId: string }): VNode => (
  <Empty title="No jobs yet">
    <p>Every transcript and extraction is a job. All of your organization’s jobs are listed here.</p>
    <p>
      <a class="button main" href={root + pathOf(orgId, 'try')}>
        Get your first transcript
      </a>
    </p>
  </Empty>
)
