/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { Every } from '#packages/jobs/watches/every.ts'
import type { OwnFound, OwnWatch } from '#packages/jobs/watches/own-watch.ts'
import {
  Empty,
  Facts,
  Field,
  FormProblem,
  formatNumber,
  Notice,
  OutLink,
  type Problems,
  Select,
  Submit,
  Time,
} from '../../look/parts.tsx'
import { Table } from '../../look/table.tsx'
import { StateBadge } from './watches.tsx'
import { everyWords, pauseReasonOf, sourceName, thenWords } from './words.ts'

type Parts = {
  watch: OwnWatch
  /** Newest first. */
  found: readonly OwnFound[]
  /** The addresses of this page and of the organization's jobs. */
  base: string
  jobs: string
  problems: Problems
  /** Limits how often the watch may look. */
  plan: readonly Every[]
}

export function WatchPage({ watch, found, base, jobs, problems, plan }: Parts): VNode {
  const { source, failure, maxCreditsPerMonth } = watch
  return (
    <>
      <a class="back" href={base.slice(0, base.lastIndexOf('/'))}>
        All watches
      </a>
      <h1>{sourceName(source)}</h1>
      <FormProblem problems={problems} />
      {watch.status === 'paused' && (
        <Notice tone={watch.reason === 'asked' ? 'warn' : 'bad'}>
          <p>
            <strong>Paused.</strong> {pauseReasonOf(watch)}
          </p>
        </Notice>
      )}
      {failure !== null && (
        <Notice tone="warn">
          <p>
            The source has been unreachable since <Time at={failure.since} /> (<code>{failure.code}</code>). We keep
            trying. Videos published meanwhile are found as long as the source still lists them.
          </p>
        </Notice>
      )}
      <section class="card">
        <Facts
          breaks={['Source']}
          facts={{
            Source: 'url' in source && <OutLink href={source.url}>{source.url}</OutLink>,
            State: <StateBadge watch={watch} />,
            Checks: everyWords[watch.every],
            'Last check': watch.lastLookAt === null ? 'None yet' : <Time at={watch.lastLookAt} />,
            'Next check': watch.nextLookAt === null ? 'None' : <Time at={watch.nextLookAt} />,
            'For each new video': thenWords(watch),
            'Credits this month':
              maxCreditsPerMonth !== null &&
              `${formatNumber(watch.creditsThisMonth)} of ${formatNumber(maxCreditsPerMonth)}`,
          }}
        />
        <Acts base={base} watch={watch} />
      </section>
      <Found found={found} base={base} jobs={jobs} />
      <section class="card narrow">
        <h2>Edit</h2>
        <form method="post" action={base}>
          <Select
            name="every"
            label="Check every"
            value={watch.every}
            options={plan.map((every) => [every, everyWords[every]] as const)}
          />
          {maxCreditsPerMonth !== null && (
            <Field
              name="maxCreditsPerMonth"
              label="Maximum credits per month"
              type="number"
              value={String(maxCreditsPerMonth)}
              problems={problems}
              min={1}
              max={1_000_000}
              required
            />
          )}
          <button type="submit">Save</button>
        </form>
      </section>
    </>
  )
}

const Acts = ({ base, watch: { status } }: { base: string; watch: OwnWatch }): VNode => (
  <div class="row">
    <form method="post" action={`${base}/${status === 'on' ? 'pause' : 'on'}`}>
      <button class={status === 'on' ? '' : 'main'} type="submit">
        {status === 'on' ? 'Pause' : 'Resume'}
      </button>
    </form>
    <details class="ask">
      <summary class="button">Delete</summary>
      <form method="post" action={`${base}/delete`}>
        <p class="small">Checks stop and the list of found videos is removed. Jobs are kept.</p>
        <Submit tone="bad">Delete this watch</Submit>
      </form>
    </details>
  </div>
)

function Found({ found, base, jobs }: Pick<Parts, 'found' | 'base' | 'jobs'>): VNode {
  const last = found.at(-1)?.number ?? 0
  if (found.length === 0)
    return (
      <Empty title="No new videos yet">
        <p>Videos published from now on appear here after the next check.</p>
      </Empty>
    )
  return (
    <section>
      <h2>New videos</h2>
      <Table
        label="New videos"
        caption="New videos, newest first"
        rows={found}
        keyOf={({ number }) => number}
        lead="Video"
        numbers={['Number']}
        columns={{
          Number: ({ number }) => formatNumber(number),
          Video: ({ url, title }) => <OutLink href={url}>{title ?? url}</OutLink>,
          Found: ({ foundAt }) => <Time at={foundAt} />,
          Job: ({ jobId, code }) => <Outcome job={jobId && `${jobs}/${jobId}`} code={code} />,
        }}
      />
      {last > 1 && (
        <p>
          <a href={`${base}?before=${last}`}>Older</a>
        </p>
      )}
    </section>
  )
}

/** What became of a video: its job, or the code of why it has none. */
const Outcome = ({ job, code }: { job: string | null; code: string | null }): VNode => (
  <>
    {job !== null && <a href={job}>Job</a>}
    {code !== null && <code>{code}</code>}
    {job === null && code === null && 'None'}
  </>
)
